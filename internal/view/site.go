package view

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"strconv"
	"sync"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/gpu"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/version"
)

// site is what the page shows.
type site struct {
	items []item
	cut   bool // there are more
	named string
	gpu   string
	set   []string
	root  *os.Root // of the directory that files are read of

	mu       sync.Mutex
	launches map[int]*warpbound.Launch
	runs     []*recording // the last ones, the newest at the end
	nextRun  int
	busy     chan struct{} // a place for each computation at a time
}

// atOnce is how many computations run at the same time, and mostRuns how many simulations
// are kept to look at.
const (
	atOnce   = 2
	mostRuns = 4
)

func newSite(o Options) (*site, error) {
	items, dir, cut, err := found(o.Path)
	if err != nil {
		return nil, err
	}
	if o.GPU != "" {
		if _, err := warpbound.GPU(o.GPU, o.Settings...); err != nil {
			return nil, err
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &site{items: items, cut: cut, named: o.Path, gpu: o.GPU, set: o.Settings, root: root, launches: map[int]*warpbound.Launch{}, busy: make(chan struct{}, atOnce)}, nil
}

func (s *site) close() { _ = s.root.Close() }

// handler answers with the page, and with what it asks for.
func (s *site) handler() http.Handler {
	mux := http.NewServeMux()
	for _, a := range assets {
		mux.HandleFunc("GET "+a.path, a.serve)
	}
	mux.HandleFunc("GET /api/session", answer(s.session))
	mux.HandleFunc("GET /api/launch", answer(s.launch))
	mux.HandleFunc("GET /api/gpu", answer(s.describe))
	mux.HandleFunc("GET /api/analyze", answer(s.analyze))
	mux.HandleFunc("GET /api/makespan", answer(s.makespan))
	mux.HandleFunc("GET /api/result", answer(s.result))
	mux.HandleFunc("GET /api/prem", stream(s.prem))
	mux.HandleFunc("GET /api/simulate", stream(s.simulate))
	mux.HandleFunc("GET /api/slices", s.slices)
	return mux
}

// answer makes a handler of a function whose result is JSON.
func answer(ask func(r *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		out, err := ask(r)
		status := http.StatusOK
		if err != nil {
			out, status = map[string]string{"error": err.Error()}, http.StatusUnprocessableEntity
			if errors.Is(err, errNoItem) {
				status = http.StatusNotFound
			}
		}
		data, err := json.Marshal(out)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write(data) // who does not wait for the answer has none
	}
}

// wait takes a place to compute in, and returns what gives it back.
func (s *site) wait(ctx context.Context) (func(), error) {
	select {
	case s.busy <- struct{}{}:
		return func() { <-s.busy }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// item is the one that a request names, of the kind given.
func (s *site) item(r *http.Request, kind string) (*item, error) {
	id, err := strconv.Atoi(r.FormValue("id"))
	if err != nil || id < 0 || id >= len(s.items) || s.items[id].Kind != kind {
		return nil, errNoItem
	}
	return &s.items[id], nil
}

// opened is the launch that a request names, as it was when it was asked for first, or now
// where the request has "again".
func (s *site) opened(r *http.Request) (*item, *warpbound.Launch, error) {
	it, err := s.item(r, ofLaunch)
	if err != nil {
		return nil, nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.launches[it.ID]; l != nil && !r.Form.Has("again") {
		return it, l, nil
	}
	l, err := warpbound.Open(it.path)
	if err != nil {
		return nil, nil, err
	}
	s.launches[it.ID] = l
	return it, l, nil
}

// machine is the GPU that a request names with its settings; byDefault where it names none.
// Paths are not taken: presets, and what the command line named.
func (s *site) machine(r *http.Request, byDefault string) (*gpu.Machine, error) {
	name := r.FormValue("gpu")
	if name == "" {
		if name = s.gpu; name == "" {
			name = byDefault
		}
	}
	if name != s.gpu {
		if _, err := gpu.PresetText(name); err != nil {
			return nil, err
		}
	}
	return warpbound.GPU(name, r.Form["set"]...)
}

// session says what there is.
func (s *site) session(*http.Request) (any, error) {
	presets, err := gpu.Presets()
	if err != nil {
		return nil, err
	}
	type preset struct {
		Name  string `json:"name"`
		About string `json:"about"`
		// Caches says that accesses can go through caches.
		Caches   bool `json:"caches"`
		FrontEnd bool `json:"front_end"`
	}
	var list []preset
	for _, p := range presets {
		m, err := warpbound.GPU(p.Name)
		if err != nil {
			return nil, err
		}
		list = append(list, preset{p.Name, p.Description, m.Desc.HasCaches(), m.Desc.FrontEnd != nil})
	}
	return map[string]any{
		"version": version.Get(), "named": s.named, "items": s.items, "more": s.cut, "gpu": s.gpu, "settings": append([]string{}, s.set...),
		"presets": list, "policies": warpbound.Policies(), "states": report.States(),
		"defaults": map[string]string{"launch": warpbound.DefaultGPU, "prem": warpbound.DefaultPremGPU},
	}, nil
}

// result is a JSON document as it is in its file.
func (s *site) result(r *http.Request) (any, error) {
	it, err := s.item(r, ofResult)
	if err != nil {
		return nil, err
	}
	data, err := os.ReadFile(it.path)
	if err != nil {
		return nil, err
	}
	if documentKind(data) == "" {
		return nil, errors.New(it.path + ": expected a JSON document of warpbound")
	}
	return map[string]any{"kind": documentKind(data), "document": json.RawMessage(data)}, nil
}
