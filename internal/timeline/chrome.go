package timeline

import (
	"encoding/json"
	"strconv"
)

// chrome encodes Google's Trace Event Format: an object whose traceEvents are metadata
// (M), begins (B) and ends (E) of slices, instants (i), counters (C) and flows (s, f).
// It knows processes and threads alone: a track is a thread, named by the groups that it
// is in. Times are in thousands.
type chrome struct {
	buf  []byte
	some bool
}

func (c *chrome) begin(w *Writer) { w.write([]byte("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")) }

func (c *chrome) end(w *Writer) { w.write([]byte("\n]}\n")) }

func (c *chrome) open(t *Track, phase string) {
	b := c.buf[:0]
	if c.some {
		b = append(b, ',')
	}
	c.some = true
	b = append(b, "\n{\"ph\":\""...)
	b = append(b, phase...)
	b = append(b, "\",\"pid\":"...)
	b = strconv.AppendInt(b, int64(t.process.number), 10)
	b = append(b, ",\"tid\":"...)
	c.buf = strconv.AppendInt(b, int64(t.number), 10)
}

func (c *chrome) text(key, value string) {
	c.key(key)
	c.buf = appendJSON(c.buf, value)
}

func (c *chrome) key(key string) {
	c.buf = append(c.buf, ',')
	c.buf = append(appendJSON(c.buf, key), ':')
}

func appendJSON(b []byte, s string) []byte {
	text, err := json.Marshal(s)
	if err != nil {
		return append(b, `""`...) // a string always has a form
	}
	return append(b, text...)
}

func (c *chrome) time(at int64) {
	c.key("ts")
	c.buf = strconv.AppendInt(c.buf, at/1000, 10)
	if rest := at % 1000; rest != 0 {
		c.buf = append(c.buf, '.', byte('0'+rest/100), byte('0'+rest/10%10), byte('0'+rest%10))
	}
}

func (c *chrome) close(w *Writer) {
	c.buf = append(c.buf, '}')
	w.write(c.buf)
}

// meta says something about a track.
func (c *chrome) meta(w *Writer, t *Track, name, key string, value any) {
	c.open(t, "M")
	c.text("name", name)
	c.key("args")
	c.buf = append(c.buf, '{')
	c.buf = append(appendJSON(c.buf, key), ':')
	switch v := value.(type) {
	case string:
		c.buf = appendJSON(c.buf, v)
	case int:
		c.buf = strconv.AppendInt(c.buf, int64(v), 10)
	}
	c.buf = append(c.buf, '}')
	c.close(w)
}

// track implements encoder.
func (c *chrome) track(w *Writer, t *Track) {
	switch {
	case t.parent == nil:
		c.meta(w, t, "process_name", "name", t.name)
		c.meta(w, t, "process_sort_index", "sort_index", t.number)
	case !t.counter:
		c.meta(w, t, "thread_name", "name", t.within())
		c.meta(w, t, "thread_sort_index", "sort_index", t.sortIndex())
	}
}

// sortIndex puts tracks of a process into the order of their ranks, groups first.
func (t *Track) sortIndex() int {
	const perGroup = 1 << 16
	if t.parent == nil || t.parent.parent == nil {
		return t.rank * perGroup
	}
	return t.parent.sortIndex() + 1 + t.rank
}

var phases = [...]string{sliceBegin: "B", sliceEnd: "E", instant: "i", sample: "C"}

// event implements encoder.
func (c *chrome) event(w *Writer, t *Track, e *event) {
	c.open(t, phases[e.kind])
	c.time(e.at)
	switch {
	case e.kind == sample:
		c.text("name", t.within())
		c.key("args")
		c.buf = append(append(c.buf, '{'), `"value":`...)
		c.buf = append(strconv.AppendFloat(c.buf, e.value, 'g', -1, 64), '}')
		c.close(w)
		return
	case e.label != nil:
		c.text("name", e.label.Name)
		if e.label.Category != "" {
			c.text("cat", e.label.Category)
		}
	}
	if e.kind == instant {
		c.text("s", "t")
	}
	first := true
	for a := range e.args {
		if first {
			c.key("args")
			c.buf = append(c.buf, '{')
		} else {
			c.buf = append(c.buf, ',')
		}
		first = false
		c.buf = append(appendJSON(c.buf, a.Key), ':')
		if a.Text != "" {
			c.buf = appendJSON(c.buf, a.Text)
		} else {
			c.buf = strconv.AppendInt(c.buf, a.Int, 10)
		}
	}
	if !first {
		c.buf = append(c.buf, '}')
	}
	c.close(w)
	if e.flows != nil {
		c.flows(w, t, e, "s", e.flows.out)
		c.flows(w, t, e, "f", e.flows.in)
	}
}

// flows writes ends of arrows at a slice that has just begun.
func (c *chrome) flows(w *Writer, t *Track, e *event, phase string, ids []uint64) {
	for _, id := range ids {
		c.open(t, phase)
		c.time(e.at)
		c.text("name", "use")
		c.text("cat", "flow")
		c.key("id")
		c.buf = strconv.AppendUint(c.buf, id, 10)
		if phase == "f" {
			c.text("bp", "e")
		}
		c.close(w)
	}
}
