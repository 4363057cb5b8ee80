package view

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/warpbound/warpbound"
)

const (
	testAddr  = "127.0.0.1:4242"
	testToken = "right"
)

// asked answers a request of the page itself to what is named.
func asked(t *testing.T, o Options) func(path string) *httptest.ResponseRecorder {
	t.Helper()
	s, err := newSite(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	handler := guarded(s.handler(), testAddr, testToken)
	return func(path string) *httptest.ResponseRecorder {
		t.Helper()
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, request(path))
		return w
	}
}

// request is one as the page makes it.
func request(path string) *http.Request {
	r := httptest.NewRequest(http.MethodGet, "http://"+testAddr+path, nil)
	r.AddCookie(&http.Cookie{Name: "warpbound-4242", Value: testToken})
	return r
}

// decoded is the JSON of an answer.
func decoded[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	var out T
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil {
		t.Fatalf("%v in %.300s", err, w.Body)
	}
	return out
}

func TestWhoIsAnswered(t *testing.T) {
	handler := guarded(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "secret") }), testAddr, testToken)
	with := func(path string, change ...func(*http.Request)) *http.Request {
		r := httptest.NewRequest(http.MethodGet, "http://"+testAddr+path, nil)
		for _, c := range change {
			c(r)
		}
		return r
	}
	header := func(key, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(key, value) }
	}
	cookie := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.AddCookie(&http.Cookie{Name: name, Value: value}) }
	}
	host := func(name string) func(*http.Request) { return func(r *http.Request) { r.Host = name } }
	method := func(name string) func(*http.Request) { return func(r *http.Request) { r.Method = name } }
	right := cookie("warpbound-4242", testToken)
	for name, c := range map[string]struct {
		r    *http.Request
		want int
	}{
		"token in the URL":                     {with("/?token=right"), 200},
		"the same by its other name":           {with("/?token=right", host("localhost:4242")), 200},
		"cookie":                               {with("/", right), 200},
		"cookie, an endpoint":                  {with("/api/session", right), 200},
		"own origin":                           {with("/api/session", right, header("Origin", "http://"+testAddr)), 200},
		"same origin, as browsers say":         {with("/api/session", right, header("Sec-Fetch-Site", "same-origin")), 200},
		"head":                                 {with("/", right, method(http.MethodHead)), 200},
		"a link in a chat":                     {with("/?token=right", header("Sec-Fetch-Site", "cross-site"), header("Sec-Fetch-Mode", "navigate")), 200},
		"no token":                             {with("/"), 403},
		"no token, an asset":                   {with("/page.js"), 403},
		"empty token":                          {with("/?token="), 403},
		"wrong token":                          {with("/?token=wrong"), 403},
		"longer token":                         {with("/?token=right1"), 403},
		"shorter token":                        {with("/?token=righ"), 403},
		"wrong token, right cookie":            {with("/?token=wrong", right), 403},
		"token of an endpoint":                 {with("/api/session?token=right"), 403},
		"wrong cookie":                         {with("/", cookie("warpbound-4242", "wrong")), 403},
		"cookie of another port":               {with("/", cookie("warpbound-4243", testToken)), 403},
		"another name for the host":            {with("/?token=right", host("evil.example:4242")), 403},
		"another name, right cookie":           {with("/api/session", right, host("evil.example:4242")), 403},
		"another port":                         {with("/", right, host("127.0.0.1:80")), 403},
		"no port":                              {with("/", right, host("127.0.0.1")), 403},
		"another page":                         {with("/api/session", right, header("Origin", "http://evil.example")), 403},
		"another page on this host":            {with("/api/session", right, header("Origin", "http://127.0.0.1:80")), 403},
		"a page without origin":                {with("/api/session", right, header("Origin", "null")), 403},
		"an encrypted page":                    {with("/api/session", right, header("Origin", "https://"+testAddr)), 403},
		"another site, as browsers say":        {with("/api/session", right, header("Sec-Fetch-Site", "cross-site")), 403},
		"another port, as browsers say":        {with("/api/session", right, header("Sec-Fetch-Site", "same-site"), header("Sec-Fetch-Mode", "no-cors")), 403},
		"navigation to an endpoint":            {with("/api/session", right, header("Sec-Fetch-Site", "cross-site"), header("Sec-Fetch-Mode", "navigate")), 403},
		"another page with the token":          {with("/?token=right", header("Origin", "http://evil.example")), 403},
		"post":                                 {with("/api/session", right, method(http.MethodPost)), 405},
		"put":                                  {with("/page.js", right, method(http.MethodPut)), 405},
		"delete":                               {with("/", right, method(http.MethodDelete)), 405},
		"a method of no meaning":               {with("/", right, method("BREW")), 405},
		"preflight":                            {with("/api/session", right, method(http.MethodOptions), header("Origin", "http://evil.example")), 403},
		"preflight that claims to be the page": {with("/api/session", right, method(http.MethodOptions)), 405},
	} {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, c.r)
			if w.Code != c.want {
				t.Errorf("status %d, want %d: %s", w.Code, c.want, w.Body)
			}
			if shown := strings.Contains(w.Body.String(), "secret"); shown != (c.want == 200) {
				t.Errorf("answered %q with status %d", w.Body, w.Code)
			}
			if strings.Contains(w.Body.String(), testToken) {
				t.Errorf("the token is in %q", w.Body)
			}
			for _, h := range headers {
				if got := w.Header().Get(h[0]); got != h[1] {
					t.Errorf("%s: %q, want %q", h[0], got, h[1])
				}
			}
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
				t.Errorf("other pages may read it: %q", got)
			}
		})
	}
}

// TestCookie tells that only the browser has the token, and gives it to nobody else.
func TestCookie(t *testing.T) {
	get := asked(t, example("basic/saxpy"))
	w := get("/")
	list := w.Result().Cookies()
	if len(list) != 1 || !list[0].HttpOnly || list[0].SameSite != http.SameSiteStrictMode || list[0].Domain != "" || list[0].MaxAge != 0 {
		t.Errorf("cookies %v", list)
	}
	if len(get("/api/session").Result().Cookies()) != 0 {
		t.Error("an endpoint sets a cookie")
	}
}

// TestContentPolicy holds the policy to what it is for: no script but ours, nothing from
// elsewhere; and the page to the policy.
func TestContentPolicy(t *testing.T) {
	for _, bad := range []string{"unsafe-inline", "unsafe-eval", "*", "http:", "https:", "data:", "blob:"} {
		if strings.Contains(contentPolicy, bad) {
			t.Errorf("the policy has %s: %s", bad, contentPolicy)
		}
	}
	for _, a := range assets {
		for _, bad := range []string{"innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function", " onclick=\"", "style=\"", "<script>", "//fonts", "cdn."} {
			if strings.Contains(string(*a.data), bad) {
				t.Errorf("%s has %q", a.path, bad)
			}
		}
		for _, link := range []string{"http://", "https://"} {
			text := strings.ReplaceAll(string(*a.data), "http://www.w3.org/2000/svg", "")
			if strings.Contains(text, link) {
				t.Errorf("%s names an address that begins with %s", a.path, link)
			}
		}
	}
}

func TestAssets(t *testing.T) {
	get := asked(t, example("basic/saxpy"))
	for path, kind := range map[string]string{"/": "text/html", "/page.js": "text/javascript", "/page.css": "text/css", "/icon.svg": "image/svg+xml"} {
		if w := get(path); w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), kind) || w.Body.Len() == 0 {
			t.Errorf("%s: status %d, %s, %d bytes", path, w.Code, w.Header().Get("Content-Type"), w.Body.Len())
		}
	}
}

// TestNothingElse asks for files in the ways that servers of files have been fooled by.
func TestNothingElse(t *testing.T) {
	dir := t.TempDir()
	copyTree(t, filepath.Join(examples, "basic/saxpy"), filepath.Join(dir, "in"))
	const secret = "secret of the directory above"
	write(t, filepath.Join(dir, "secret.toml"), secret)
	get := asked(t, Options{Path: filepath.Join(dir, "in")})
	for _, path := range []string{
		"/../secret.toml", "/%2e%2e/secret.toml", "/..%2fsecret.toml", "/..%5csecret.toml", "/....//secret.toml", "//secret.toml", "/secret.toml", "/saxpy.toml", "/saxpy.ptx", "/assets/page.js", "/page/main.ts",
		"/page.js/../../secret.toml", "/%00", "/api", "/api/", "/api/../secret.toml", "/api/files", "/.git/config", "/etc/passwd",
		"/api/launch?id=../secret.toml", "/api/launch?id=-1", "/api/launch?id=99", "/api/launch?id=0%00", "/api/launch?id=", "/api/launch", "/api/result?id=0", "/api/prem?id=0", "/api/launch?path=" + url.QueryEscape(filepath.Join(dir, "secret.toml")),
		"/api/analyze?id=0&gpu=" + url.QueryEscape(filepath.Join(dir, "secret.toml")), "/api/analyze?id=0&gpu=../secret.toml", "/api/slices?run=1", "/api/slices?run=../1",
	} {
		w := get(path)
		if strings.Contains(w.Body.String(), secret) {
			t.Errorf("%s shows what lies outside", path)
		}
		if w.Code == 200 && !strings.Contains(w.Body.String(), `"error"`) {
			t.Errorf("%s: status 200 with %.200s", path, w.Body)
		}
	}
}

func copyTree(t *testing.T, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSourcesInside tells that a line table leads to no file outside of what was named, by
// name or by link, and that those inside are shown.
func TestSourcesInside(t *testing.T) {
	dir := t.TempDir()
	const secret = "the secret of another file"
	write(t, filepath.Join(dir, "outside.cu"), secret)
	for name, c := range map[string]struct {
		table string // what the line table says
		link  bool
		shown bool
	}{
		"beside":           {"./dot.cu", false, true},
		"absolute, inside": {filepath.Join(dir, "absolute, inside", "dot.cu"), false, true},
		"above":            {"../outside.cu", false, false},
		"absolute":         {filepath.Join(dir, "outside.cu"), false, false},
		"a link":           {"./link.cu", true, false},
		"system":           {"/etc/passwd", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			in := filepath.Join(dir, name)
			copyTree(t, "testdata/source", in)
			ptx, err := os.ReadFile(filepath.Join(in, "dot.ptx"))
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(ptx), `"./dot.cu"`, fmt.Sprintf("%q", c.table))
			if c.table != "./dot.cu" && text == string(ptx) {
				t.Fatal("the line table was not changed")
			}
			write(t, filepath.Join(in, "dot.ptx"), text)
			if c.link {
				if err := os.Symlink(filepath.Join(dir, "outside.cu"), filepath.Join(in, "link.cu")); err != nil {
					t.Fatal(err)
				}
			}
			w := asked(t, Options{Path: filepath.Join(in, "dot.toml")})("/api/launch?id=0")
			if strings.Contains(w.Body.String(), secret) || strings.Contains(w.Body.String(), "root:") {
				t.Errorf("shown: %.2000s", w.Body)
			}
			v := decoded[launchView](t, w)
			if got := strings.Contains(w.Body.String(), "return x[i] * y[i];"); got != c.shown {
				t.Errorf("shown %t, want %t: %+v", got, c.shown, v.Sources)
			}
			if c.shown && v.Sources[0].Missing != "" {
				t.Errorf("the file that is shown is not the first: %+v", v.Sources)
			}
		})
	}
}

// TestDirectory tells what is found in a directory, and that links and hidden files are not.
func TestDirectory(t *testing.T) {
	dir := t.TempDir()
	copyTree(t, filepath.Join(examples, "basic/saxpy"), filepath.Join(dir, "launches"))
	write(t, filepath.Join(dir, "results", "a.json"), `{"warpbound": {"version": "devel"}, "bounds": []}`)
	write(t, filepath.Join(dir, "results", "b.json"), `{"warpbound": {"version": "devel"}, "something": 1}`)
	write(t, filepath.Join(dir, "results", "package.json"), `{"name": "other"}`)
	write(t, filepath.Join(dir, "results", "broken.json"), `{"warpbound"`)
	write(t, filepath.Join(dir, "prem", "loops.c"), "void f(int *a) {\n#pragma omp target teams distribute parallel for\nfor (int i = 0; i < 4; i++) a[i] = 1; }\n")
	write(t, filepath.Join(dir, "prem", "plain.c"), "int main(void) { return 0; }\n")
	write(t, filepath.Join(dir, "gpu.toml"), "name = \"g\"\n")
	write(t, filepath.Join(dir, ".hidden", "x.json"), `{"warpbound": {}, "bounds": []}`)
	if err := os.Symlink(filepath.Join(dir, "results", "a.json"), filepath.Join(dir, "link.json")); err != nil {
		t.Fatal(err)
	}
	items, _, cut, err := found(dir)
	if err != nil || cut {
		t.Fatal(err, cut)
	}
	var got []string
	for _, i := range items {
		got = append(got, i.Kind+" "+i.Name+" "+i.Document)
	}
	for _, want := range []string{"launch launches/saxpy.toml ", "result results/a.json analyze", "result results/b.json other", "prem prem/loops.c "} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	for _, i := range items {
		for _, bad := range []string{"package", "broken", "plain", "gpu.toml", "hidden", "link"} {
			if strings.Contains(i.Name, bad) {
				t.Errorf("%s is listed", i.Name)
			}
		}
	}
}

func TestNamedWrong(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x.txt"), "nothing")
	for path, want := range map[string]string{
		filepath.Join(dir, "missing"): "no such file",
		filepath.Join(dir, "x.txt"):   "expected a launch file",
		dir:                           "nothing to show",
		filepath.Join(examples, "sgemm/double/double.ptx"): "PTX, expected a launch file",
		filepath.Join(examples, "gpu/single-cycle.toml"):   "a GPU description, expected a launch file",
	} {
		if err := Serve(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if err := Serve(t.Context(), Options{Path: filepath.Join(examples, "basic/saxpy"), GPU: "gtx408"}); err == nil || !strings.Contains(err.Error(), "gtx480") {
		t.Errorf("a GPU that is not there: %v", err)
	}
}

// TestServe serves a page on the loopback interface, ends when it is told to, in the middle
// of an answer too, and leaves every file as it was.
func TestServe(t *testing.T) {
	dir := t.TempDir()
	copyTree(t, filepath.Join(examples, "inputs/kernels/nearest"), dir)
	before := held(t, dir)
	ctx, stop := context.WithCancel(t.Context())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() { ended <- Serve(ctx, Options{Path: dir, Ready: func(u string) { ready <- u }}) }()
	var at string
	select {
	case at = <-ready:
	case err := <-ended:
		t.Fatal(err)
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	if ip := net.ParseIP(u.Hostname()); ip == nil || !ip.IsLoopback() {
		t.Errorf("served at %s, want the loopback interface", u.Host)
	}
	if len(u.Query().Get("token")) < 40 {
		t.Errorf("token %q is short", u.Query().Get("token"))
	}
	page, err := http.Get(at)
	if err != nil {
		t.Fatal(err)
	}
	page.Body.Close()
	for _, path := range []string{"/api/session", "/api/launch?id=0", "/api/analyze?id=0&set=timing.memory.latency_cycles=300", "/api/simulate?id=0&policy=gto", "/api/makespan?string=LCL&warps=4"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+u.Host+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.AddCookie(page.Cookies()[0])
		got, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(got.Body)
		got.Body.Close()
		if err != nil || got.StatusCode != 200 || strings.Contains(string(text), `"error"`) {
			t.Errorf("%s: %v, status %d, %.300s", path, err, got.StatusCode, text)
		}
	}
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("did not end")
	}
	if _, err := http.Get(at); err == nil {
		t.Error("still served")
	}
	if after := held(t, dir); !slices.Equal(before, after) {
		t.Errorf("files were\n%q\nand are\n%q", before, after)
	}
}

// held lists files with what they hold and when they were written.
func held(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		out = append(out, fmt.Sprintf("%s %s %v %x", path, info.ModTime(), info.Mode(), data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// last is the last line of a stream.
func last[T any](t *testing.T, w *httptest.ResponseRecorder) T {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(w.Body.String()), "\n")
	var out struct {
		Result *T     `json:"result"`
		Error  string `json:"error"`
	}
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &out); err != nil || out.Result == nil {
		t.Fatalf("%v, %s in %.500s", err, out.Error, lines[len(lines)-1])
	}
	return *out.Result
}

// TestLaunches asks everything about launches of every kind: what is shown has to be what the
// library's documents say.
func TestLaunches(t *testing.T) {
	for _, c := range []struct {
		path, gpu string
	}{
		{"sgemm/double/sgemm_double_8.toml", ""},
		{"rodinia/hotspot/hotspot.toml", ""},
		{"rodinia/hotspot/hotspot.toml", "rtx3070"},
		{"inputs/kernels/nearest/nearest.toml", ""},
		{"rodinia/nn/nn.toml", ""},
		{"vortex/kernels/psort/psort.toml", ""},
		{"vortex/kernels/hotspot/hotspot.toml", "vortex-32x32"},
		{"vortex/kernels/psort/psort-ptx.toml", "vortex-32x32"},
	} {
		t.Run(c.path+" "+c.gpu, func(t *testing.T) {
			o := example(c.path)
			o.GPU = c.gpu
			get := asked(t, o)
			v := decoded[launchView](t, get("/api/launch?id=0"))
			l, err := warpbound.Open(o.Path)
			if err != nil {
				t.Fatal(err)
			}
			if len(v.Instructions) != len(l.Program().Instructions) || len(v.Functions) != len(l.Program().Functions) {
				t.Errorf("%d instructions in %d functions, want %d in %d", len(v.Instructions), len(v.Functions), len(l.Program().Instructions), len(l.Program().Functions))
			}
			executed := false
			for _, in := range v.Instructions {
				executed = executed || in.Executions > 0
				if in.Line < 1 || in.Line > len(v.Program.Lines) {
					t.Errorf("instruction %d stands in line %d of %d", in.PC, in.Line, len(v.Program.Lines))
				}
				opcode := strings.Fields(l.Program().Instructions[in.PC].Opcode)[0]
				if !v.RISCV && !strings.Contains(v.Program.Lines[in.Line-1], opcode) {
					t.Errorf("instruction %d: no %s in %q", in.PC, opcode, v.Program.Lines[in.Line-1])
				}
			}
			if !executed {
				t.Error("nothing was executed")
			}
			got := decoded[answered](t, get("/api/analyze?id=0"))
			name := c.gpu
			if name == "" {
				name = warpbound.DefaultGPU
			}
			m, err := warpbound.GPU(name)
			if err != nil {
				t.Fatal(err)
			}
			a, err := l.Analyze(t.Context(), warpbound.AnalyzeOptions{GPU: m})
			if err != nil {
				t.Fatal(err)
			}
			var doc struct {
				Best  struct{ Cycles int64 }
				Costs *struct {
					Cycles int64
					Rows   []struct {
						Position string
						Cycles   int64
					}
				}
			}
			if err := json.Unmarshal(got.Document, &doc); err != nil {
				t.Fatal(err)
			}
			if a.Best == nil || doc.Best.Cycles != a.Best.Cycles {
				t.Errorf("bound %d, the library says %+v", doc.Best.Cycles, a.Best)
			}
			if doc.Costs == nil {
				t.Errorf("no costs: %s", got.Note)
			} else {
				at, sum := map[string]bool{}, int64(0)
				for _, in := range v.Instructions {
					at[in.Position] = true
				}
				for _, r := range doc.Costs.Rows {
					sum += r.Cycles
					if r.Position != "" && !at[r.Position] {
						t.Errorf("no line for the cost at %s", r.Position)
					}
				}
				if sum != doc.Costs.Cycles {
					t.Errorf("rows add up to %d of %d cycles", sum, doc.Costs.Cycles)
				}
			}
			gpu := decoded[struct{ Knobs []knob }](t, get("/api/gpu?id=0"))
			for i, k := range gpu.Knobs {
				if i%4 != 0 && strings.HasPrefix(c.path, "vortex") {
					continue // each is an analysis
				}
				if k.Value < k.Min || k.Value > k.Max || k.Source == "" {
					t.Errorf("%+v", k)
				}
				if w := get("/api/analyze?id=0&set=" + url.QueryEscape(fmt.Sprintf("%s=%d", k.Key, k.Value))); w.Code != 200 {
					t.Errorf("%s: %s", k.Key, w.Body)
				} else if x := best(t, decoded[answered](t, w)); x != doc.Best.Cycles {
					t.Errorf("%s as described changes the bound to %d", k.Key, x)
				}
			}
			sim := last[struct {
				Report answered
				Run    int
				Slices int
			}](t, get("/api/simulate?id=0"))
			s, err := l.Simulate(t.Context(), warpbound.SimulateOptions{GPU: m})
			if err != nil {
				t.Fatal(err)
			}
			var run struct{ Cycles int64 }
			if err := json.Unmarshal(sim.Report.Document, &run); err != nil || run.Cycles != s.Cycles {
				t.Errorf("%v; %d cycles, the library says %d", err, run.Cycles, s.Cycles)
			}
			checkSlices(t, get(fmt.Sprintf("/api/slices?run=%d", sim.Run)).Body.Bytes(), s, sim.Slices)
		})
	}
}

// best is the bound of an analysis.
func best(t *testing.T, a answered) int64 {
	t.Helper()
	var doc struct{ Best struct{ Cycles int64 } }
	if err := json.Unmarshal(a.Document, &doc); err != nil {
		t.Fatal(err)
	}
	return doc.Best.Cycles
}

// checkSlices decodes slices as the page does, and counts in them what the simulation counts.
func checkSlices(t *testing.T, data []byte, s *warpbound.Simulation, count int) {
	t.Helper()
	size := binary.LittleEndian.Uint32(data)
	var h header
	if err := json.Unmarshal(data[4:4+size], &h); err != nil {
		t.Fatal(err)
	}
	n := h.Slices
	if n != count || int(size)%4 != 0 || len(data) != 4+int(size)+19*n || h.Cycles != s.Cycles || h.Full {
		t.Fatalf("%d bytes with header %+v for %d slices", len(data), h, count)
	}
	rest := data[4+size:]
	word := func(column, i int) int64 { return int64(int32(binary.LittleEndian.Uint32(rest[4*(column*n+i):]))) }
	issued, at := int64(0), 0
	for _, k := range h.Tracks {
		end := int64(0)
		for i := at; i < at+k.Count; i++ {
			from, to := word(0, i), word(1, i)
			if from < end || to <= from || to > s.Cycles {
				t.Fatalf("slice %d of %s %s goes from %d to %d, behind one that ends at %d", i-at, k.Kind, k.Label, from, to, end)
			}
			end = to
			if k.Kind == "warp" && word(2, i) >= 0 {
				issued++
			}
		}
		at += k.Count
	}
	if issued != s.WarpInstructions {
		t.Errorf("%d slices issue, %d warp instructions were executed", issued, s.WarpInstructions)
	}
}

// TestPolicies tells that a strict policy has bounds of its own, and that another policy has
// those for every work-conserving one.
func TestPolicies(t *testing.T) {
	get := asked(t, example("basic/saxpy/saxpy.toml"))
	bound := func(query string) int64 {
		a := decoded[answered](t, get("/api/analyze?id=0"+query))
		if costs := strings.Contains(string(a.Document), `"costs"`); costs == (a.Note != "") {
			t.Errorf("%s: costs %t, and the note %q", query, costs, a.Note)
		}
		return best(t, a)
	}
	if any, gto, srr := bound(""), bound("&policy=gto"), bound("&policy=srr"); any != gto || srr == any || srr == 0 {
		t.Errorf("any %d, gto %d, srr %d", any, gto, srr)
	}
}

// TestRecordingFull tells that a recording ends where it is full, and can begin later.
func TestRecordingFull(t *testing.T) {
	r := newRecording(100)
	issue := func(cycle int64) { r.see(warpbound.Event{Kind: warpbound.Issue, Cycle: cycle}) }
	issue(99)
	if r.count != 0 {
		t.Errorf("%d slices before the first cycle", r.count)
	}
	for c := int64(100); r.count < mostSlices; c++ {
		issue(c)
	}
	if r.full {
		t.Error("full too early")
	}
	last := 100 + int64(mostSlices/2)
	issue(last)
	r.end(last + 50)
	if !r.full || r.to != last || r.cycles != last+50 || r.count != mostSlices {
		t.Errorf("full %t, to %d, of %d cycles, %d slices; want it to end at %d", r.full, r.to, r.cycles, r.count, last)
	}
}

// TestPrem compares the phases of a program with what the library says.
func TestPrem(t *testing.T) {
	o := example("prem/programs/conv2d.c")
	get := asked(t, o)
	got := last[struct {
		Plan, Schedule answered
		Source         text
	}](t, get("/api/prem?id=0&schedule=best&guarded=true"))
	p, err := warpbound.Prem(t.Context(), o.Path, warpbound.PremOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Schedule(t.Context(), warpbound.PremScheduleOptions{Schedule: "best", Guarded: true})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := s.Report(true)
	if err != nil {
		t.Fatal(err)
	}
	if rep.Text() != got.Schedule.Text || got.Plan.Kind != "prem" || got.Schedule.Kind != "prem-schedule" || len(got.Source.Lines) < 10 {
		t.Errorf("the page has\n%s\nthe library\n%s", got.Schedule.Text, rep.Text())
	}
}

func TestMakespan(t *testing.T) {
	get := asked(t, example("basic/saxpy"))
	var doc struct {
		Exact struct {
			Cycles   int64
			Schedule [][]int32
		}
	}
	if err := json.Unmarshal(decoded[answered](t, get("/api/makespan?string=LLCLL&units=L%3D32,C%3D32&warps=6")).Document, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Exact.Cycles != 25 || len(doc.Exact.Schedule) != 6 {
		t.Errorf("%+v, want 25 cycles with a schedule of 6 warps", doc.Exact)
	}
	for query, want := range map[string]string{"string=L&warps=x": "expected a number", "string=L": "Warps", "string=L(&warps=2": "parenthesis"} {
		if w := get("/api/makespan?" + query); w.Code != http.StatusUnprocessableEntity || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: status %d, %s", query, w.Code, w.Body)
		}
	}
}

// TestEnding tells that a computation ends with who asked for it.
func TestEnding(t *testing.T) {
	s, err := newSite(example("vortex/kernels/psort/psort.toml"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	ctx, cancel := context.WithCancel(t.Context())
	w := httptest.NewRecorder()
	told := 0
	_, err = s.simulate(request("/api/simulate?id=0").WithContext(ctx), func(warpbound.Progress) {
		told++
		cancel()
	})
	if !errors.Is(err, context.Canceled) || told == 0 {
		t.Errorf("%v after telling %d times; %s", err, told, w.Body)
	}
}

func TestResult(t *testing.T) {
	l, err := warpbound.Open(filepath.Join(examples, "basic/saxpy/saxpy.toml"))
	if err != nil {
		t.Fatal(err)
	}
	a, err := l.Analyze(t.Context(), warpbound.AnalyzeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := a.Report(false)
	if err != nil {
		t.Fatal(err)
	}
	data, err := rep.JSON()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "saxpy.json")
	write(t, path, string(data))
	got := decoded[struct {
		Kind     string
		Document struct{ Kernel string }
	}](t, asked(t, Options{Path: path})("/api/result?id=0"))
	if got.Kind != "analyze" || got.Document.Kernel != "saxpy" {
		t.Errorf("%+v", got)
	}
}
