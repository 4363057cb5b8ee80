package traces

import (
	gobytes "bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// chromeEvent is an entry of traceEvents.
type chromeEvent struct {
	Phase    string                     `json:"ph"`
	PID      uint64                     `json:"pid"`
	TID      uint64                     `json:"tid"`
	TS       json.Number                `json:"ts"`
	Name     string                     `json:"name"`
	Category string                     `json:"cat"`
	Scope    string                     `json:"s"`
	Bind     string                     `json:"bp"`
	ID       uint64                     `json:"id"`
	Args     map[string]json.RawMessage `json:"args"`
}

// A Row is the events of a track of Chrome's form, by its path.
type Row struct {
	Path   string
	Events []Event
}

// Chrome reads a trace in Google's Trace Event Format into rows, by path. Times are in
// thousandths of what the file says.
func Chrome(data []byte) ([]Row, error) {
	var file struct {
		Unit   string        `json:"displayTimeUnit"`
		Events []chromeEvent `json:"traceEvents"`
	}
	d := json.NewDecoder(gobytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&file); err != nil {
		return nil, err
	}
	if d.More() || file.Unit == "" {
		return nil, errors.New("expected one object with a unit")
	}
	process, thread, counters, rows := map[uint64]string{}, map[uint64]string{}, map[string]int{}, map[uint64]*Row{}
	var order []uint64
	for i := range file.Events {
		e := &file.Events[i]
		if e.Phase == "M" {
			if err := chromeName(e, process, thread); err != nil {
				return nil, err
			}
			continue
		}
		path := process[e.PID]
		if path == "" {
			return nil, fmt.Errorf("event %d: no process %d", i, e.PID)
		}
		at, err := thousandths(e.TS)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		if e.Phase == "C" {
			path += " / " + e.Name
		} else {
			if thread[e.TID] == "" {
				return nil, fmt.Errorf("event %d: no thread %d", i, e.TID)
			}
			path += " / " + thread[e.TID]
		}
		row := rows[e.TID]
		if row == nil {
			if counters[path]++; counters[path] > 1 {
				return nil, fmt.Errorf("two tracks %s", path)
			}
			row = &Row{Path: path}
			rows[e.TID] = row
			order = append(order, e.TID)
		}
		if row.Path != path {
			return nil, fmt.Errorf("event %d: thread %d is %s and %s", i, e.TID, row.Path, path)
		}
		if err := row.add(e, at); err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
	}
	var out []Row
	for _, id := range order {
		out = append(out, *rows[id])
	}
	return sorted(out), nil
}

func chromeName(e *chromeEvent, process, thread map[uint64]string) error {
	names := map[string]map[uint64]string{"process_name": process, "thread_name": thread}
	to, ok := names[e.Name]
	if !ok {
		if strings.HasSuffix(e.Name, "_sort_index") {
			return nil
		}
		return fmt.Errorf("metadata %q", e.Name)
	}
	id := e.PID
	if e.Name == "thread_name" {
		id = e.TID
	}
	var name string
	if err := json.Unmarshal(e.Args["name"], &name); err != nil || name == "" || to[id] != "" {
		return fmt.Errorf("%s of %d: %q, %v", e.Name, id, name, err)
	}
	to[id] = name
	return nil
}

// thousandths is a decimal number in thousandths.
func thousandths(n json.Number) (int64, error) {
	whole, rest, _ := strings.Cut(n.String(), ".")
	if len(rest) > 3 || whole == "" {
		return 0, fmt.Errorf("time %q", n)
	}
	return strconv.ParseInt(whole+(rest + "000")[:3], 10, 64)
}

func (r *Row) add(e *chromeEvent, at int64) error {
	kinds := map[string]Kind{"B": Begin, "E": End, "i": Instant, "C": Counter}
	switch kind, ok := kinds[e.Phase]; {
	case e.Phase == "s" || e.Phase == "f":
		if len(r.Events) == 0 {
			return errors.New("a flow before any slice")
		}
		last := &r.Events[len(r.Events)-1]
		if last.Kind == End || last.At != at {
			return fmt.Errorf("a flow at %d beside no event", at)
		}
		if e.Phase == "s" {
			last.FlowsOut = append(last.FlowsOut, e.ID)
		} else {
			last.FlowsIn = append(last.FlowsIn, e.ID)
		}
		return nil
	case !ok:
		return fmt.Errorf("phase %q", e.Phase)
	default:
		x := Event{Kind: kind, At: at, Name: e.Name, Category: e.Category}
		if kind == Counter {
			x.Name = ""
			var err error
			x.Value, err = strconv.ParseFloat(string(e.Args["value"]), 64)
			r.Events = append(r.Events, x)
			return err
		}
		for key, raw := range e.Args {
			if x.Args == nil {
				x.Args = map[string]any{}
			}
			var text string
			if json.Unmarshal(raw, &text) == nil {
				x.Args[key] = text
				continue
			}
			n, err := strconv.ParseInt(string(raw), 10, 64)
			if err != nil {
				return err
			}
			x.Args[key] = n
		}
		r.Events = append(r.Events, x)
		return nil
	}
}

func sorted(rows []Row) []Row {
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.Path, b.Path) })
	return rows
}

// Rows are the events of a trace in the form of Chrome's.
func (t *Trace) Rows() []Row {
	paths, at := t.Paths(), map[uint64]int{}
	var out []Row
	for i := range t.Events {
		e := t.Events[i]
		n, ok := at[e.Track]
		if !ok {
			n = len(out)
			at[e.Track] = n
			out = append(out, Row{Path: paths[e.Track]})
		}
		e.Track, e.Sequence = 0, 0
		out[n].Events = append(out[n].Events, e)
	}
	return sorted(out)
}

// Differ tells where two traces say different things, nil where they do not.
func Differ(a, b []Row) error {
	if len(a) != len(b) {
		return fmt.Errorf("%d tracks with events, and %d", len(a), len(b))
	}
	for i := range a {
		if a[i].Path != b[i].Path || len(a[i].Events) != len(b[i].Events) {
			return fmt.Errorf("track %s with %d events, and %s with %d", a[i].Path, len(a[i].Events), b[i].Path, len(b[i].Events))
		}
		for j := range a[i].Events {
			x, y := a[i].Events[j], b[i].Events[j]
			if math.Abs(x.Value-y.Value) > 0 || !reflect.DeepEqual(x, y) {
				return fmt.Errorf("track %s, event %d: %+v, and %+v", a[i].Path, j, x, y)
			}
		}
	}
	return nil
}
