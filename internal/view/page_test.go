package view

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/warpbound/warpbound"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// text is what a part of the page says.
func (p *tab) text(selector string) string {
	p.t.Helper()
	return eval[string](p, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ""`, selector))
}

// says waits until a part of the page says something that fits.
func (p *tab) says(selector, pattern string) {
	p.t.Helper()
	p.until(selector+" says "+pattern, fmt.Sprintf(`new RegExp(%q, "s").test(document.querySelector(%q)?.innerText ?? "")`, pattern, selector))
}

// TestStory clicks through the story of one kernel: where its cycles go, the path, the
// timeline down to a cycle, another GPU, both beside each other.
func TestStory(t *testing.T) {
	p := opened(t, example("sgemm/double/sgemm_double_8.toml"))
	p.says("#bound", `^12,049 cycles`)
	p.says("#verdict", `BOUND by chain = 10\.644 µs`)
	if got := eval[string](p, `location.search`); got != "" {
		t.Errorf("the token stays in the address: %s", got)
	}

	// The most costly line of the loop, in all three panes.
	p.run(chromedp.Focus("#main .code[aria-label^=PTX]", chromedp.ByQuery), chromedp.KeyEvent("n"))
	p.says("#detail", `\d cycles \(\d+\.\d %\) = .*others \d`)
	if n := eval[int](p, `document.querySelectorAll(".line.on").length`); n != 1 {
		t.Errorf("%d lines are marked, want 1", n)
	}
	if n := eval[int](p, `document.querySelectorAll(".block.on").length`); n != 1 {
		t.Errorf("%d blocks are marked, want 1", n)
	}
	p.run(chromedp.KeyEvent(kb.Escape))
	// A block marks its lines.
	p.run(chromedp.Focus(".block:nth-of-type(3)", chromedp.ByQuery))
	p.until("lines of the block are marked", `document.querySelectorAll(".line.on").length > 50`)
	// Numbers of lines add up to the bound.
	if got := eval[int](p, `[...document.querySelectorAll("#main [aria-label^=PTX] .heat span:last-child")].reduce((a, e) => a + Number(e.textContent.replace(/,/g, "")), 0)`); got != 12049 {
		t.Errorf("lines add up to %d cycles, want 12,049", got)
	}

	// The same lines by what schedulers did.
	p.run(chromedp.SetValue("#heat", "run", chromedp.ByQuery), chromedp.Evaluate(`document.getElementById("heat").dispatchEvent(new Event("change"))`, nil))
	p.says(".codeview > .key", `9,186 scheduler cycles simulated.*issued.*held`)
	if got := eval[int](p, `[...document.querySelectorAll("#main [aria-label^=PTX] .heat span:last-child")].reduce((a, e) => a + Number(e.textContent.replace(/,/g, "")), 0)`); got < 9000 || got > 9186 {
		t.Errorf("lines add up to %d scheduler cycles, want those of 9,186 that belong to instructions", got)
	}
	p.run(chromedp.SetValue("#heat", "bound", chromedp.ByQuery), chromedp.Evaluate(`document.getElementById("heat").dispatchEvent(new Event("change"))`, nil))

	p.view("path")
	p.says(".where", `^step 1 of \d+`)
	p.run(chromedp.Focus(".steps", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown))
	p.says(".where", `^step 3 of`)
	p.run(chromedp.KeyEvent("n"))
	p.says(".where", `waits for its (result|unit)`)
	p.run(chromedp.KeyEvent(kb.End))
	p.until("the last step is shown", `(([, a, b]) => a === b)(/^step (\d+) of (\d+)/.exec(document.querySelector(".where").innerText))`)
	p.run(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent(" "))
	p.says(".where", `^step ([2-9]|\d\d+) of`)
	p.run(chromedp.KeyEvent(" "))

	p.view("timeline")
	p.says(".range", `^0 to 9,186 of 9,186 cycles, [\d,]+ slices`)
	p.run(chromedp.Focus("#timeline", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent("]"))
	p.says(".timelineview > .where", `SM 0, block 0 warp 0: 0–`)
	for range 12 {
		p.run(chromedp.KeyEvent("+"))
	}
	p.until("single cycles are shown", `(d => d.to - d.from <= 8)(document.getElementById("timeline").dataset)`)
	p.run(chromedp.KeyEvent("0"))
	p.until("all is shown", `document.getElementById("timeline").dataset.to === "9186"`)

	p.view("bound")
	p.says("main", `longest chain of one warp a section.*3,677.*What it rests on.*memory interference free`)

	p.view("whatif")
	p.says("main caption", `12,049 cycles by chain`)
	p.run(chromedp.Click("#main [aria-label^='try issue.dependency']", chromedp.ByQuery))
	p.says("#verdict", `[+−][\d,]+ \(`)
	p.run(chromedp.Click("#reset", chromedp.ByQuery))
	p.says("#bound", `^12,049 cycles`)

	// Memory that is slower, and back.
	p.view("code")
	slide(p, "knob-timing-memory-latency-cycles", 400)
	p.says("#verdict", `▲ \+|\+[\d,]+ \(\d`)
	p.until("the bound is larger", `Number(document.querySelector("#bound b").innerText.replace(/,/g, "")) > 12049`)
	p.says("#verdict", `simulated [\d,]+ =`)
	p.run(chromedp.KeyEvent("p"))
	p.view("compare")
	p.says(".compareview", `the bound.*12,049.*▲`)
	p.run(chromedp.Click("#reset", chromedp.ByQuery))
	p.says("#bound", `^12,049 cycles`)

	p.run(chromedp.SetValue("#policy", "srr", chromedp.ByQuery), chromedp.Evaluate(`document.getElementById("policy").dispatchEvent(new Event("change"))`, nil))
	p.says("#verdict", `by turns`)
	p.run(chromedp.SetValue("#policy", "gto", chromedp.ByQuery), chromedp.Evaluate(`document.getElementById("policy").dispatchEvent(new Event("change"))`, nil))
	p.says("#bound", `^12,049 cycles`)

	p.view("report")
	p.says("main pre", `BOUND   12,049 cycles = 10\.644 µs`)

	p.view("makespan")
	p.says(".makespanview", `exactly 25 cycles`)
	p.run(chromedp.SetValue("#ms-warps", "600", chromedp.ByQuery), chromedp.Evaluate(`document.getElementById("ms-warps").dispatchEvent(new Event("input"))`, nil))
	p.says(".makespanview", `exactly 2,401 cycles`)
	p.run(chromedp.SetValue("#ms-string", "L(", chromedp.ByQuery), chromedp.Evaluate(`document.getElementById("ms-string").dispatchEvent(new Event("input"))`, nil))
	p.says(".makespanview .error", `parenthesis`)
	p.allow(`422`)
	p.clean()
}

// allow takes out what is expected in the console.
func (p *tab) allow(pattern string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var rest []string
	for _, w := range p.wrong {
		if !regexp.MustCompile(pattern).MatchString(w) {
			rest = append(rest, w)
		}
	}
	p.wrong = rest
}

// slide moves a slider.
func slide(p *tab, id string, to int) {
	p.t.Helper()
	p.run(chromedp.Evaluate(fmt.Sprintf(`(e => { e.value = %d; e.dispatchEvent(new Event("input")); })(document.getElementById(%q))`, to, id), nil))
}

// TestKinds opens what can be named of every kind, and looks at what has to be there.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     Options
		views map[string]string
	}{
		{"source", Options{Path: "testdata/source/dot.toml"}, map[string]string{"code": `dot\.cu.*return x\[i\] \* y\[i\];.*ld\.global\.f32`, "path": `return x\[i\]`}},
		{"hotspot", example("rodinia/hotspot/hotspot.toml"), map[string]string{"code": `hotspot\.ptx`, "timeline": `[\d,]+ slices`}},
		{"nearest neighbour", example("inputs/kernels/nearest/nearest.toml"), map[string]string{"code": `ld\.global\.f32`, "path": `Data decide at 3 instructions`, "bound": `Loops`}},
		{"vortex", Options{Path: filepath.Join(examples, "vortex/kernels/hotspot/hotspot.toml"), GPU: "vortex-32x32"}, map[string]string{"code": `hotspot\.c.*RISC-V.*Control flow`, "path": `step 1 of`, "timeline": `[\d,]+ slices`}},
		{"prem", example("prem/programs/conv2d.c"), map[string]string{"prem": `Phases in their budgets.*sdma, simulated.*with the guard.*hand-overs.*The guard, phase by phase`}},
	} {
		p := opened(t, c.o)
		for view, want := range c.views {
			p.view(view)
			p.says("main", want)
		}
		p.scheme("dark")
		if back := eval[string](p, `getComputedStyle(document.body).backgroundColor`); back != "rgb(18, 22, 27)" {
			t.Errorf("%s: the page is %s where dark is preferred", c.name, back)
		}
		p.clean()
	}
}

// TestResults opens documents that commands wrote, of every kind, and compares two.
func TestResults(t *testing.T) {
	dir := t.TempDir()
	saved := func(name string, rep *warpbound.Report, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		data, err := rep.JSON()
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), string(data))
	}
	l, err := warpbound.Open(filepath.Join(examples, "basic/saxpy/saxpy.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for i, set := range []string{"sm.count=1", "timing.memory.latency_cycles=400"} {
		m, err := warpbound.GPU(warpbound.DefaultGPU, set)
		if err != nil {
			t.Fatal(err)
		}
		a, err := l.Analyze(t.Context(), warpbound.AnalyzeOptions{GPU: m, By: "line"})
		if err != nil {
			t.Fatal(err)
		}
		rep, err := a.Report(false)
		saved(fmt.Sprintf("analyze-%d.json", i), rep, err)
	}
	s, err := l.Simulate(t.Context(), warpbound.SimulateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err := s.Report()
	saved("simulate.json", rep, err)
	k, err := warpbound.Makespan(t.Context(), "LLCLL", warpbound.MakespanOptions{Warps: 4, Units: "L=32,C=32", Schedule: true})
	if err != nil {
		t.Fatal(err)
	}
	rep, err = k.Report()
	saved("makespan.json", rep, err)
	program, err := warpbound.Prem(t.Context(), filepath.Join(examples, "prem/programs/conv2d.c"), warpbound.PremOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err = program.Report(false)
	saved("plan.json", rep, err)
	times, err := program.Schedule(t.Context(), warpbound.PremScheduleOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rep, err = times.Report(false)
	saved("schedule.json", rep, err)
	rep, err = warpbound.PresetsReport()
	saved("presets.json", rep, err)

	p := opened(t, Options{Path: dir})
	for name, want := range map[string]string{
		"analyze-0.json": `Bounds in cycles.*What it rests on.*cycles of the bound`, "simulate.json": `simulate.*cycles`, "makespan.json": `A schedule that takes \d+ cycles`,
		"plan.json": `Loops cut into intervals`, "schedule.json": `Phases in their budgets`, "presets.json": `presets \d+`,
	} {
		p.run(chromedp.Evaluate(fmt.Sprintf(`(e => { e.value = [...e.options].find(o => o.text === %q).value; e.dispatchEvent(new Event("change")); })(document.getElementById("item"))`, name), nil))
		p.until(name+" is open", fmt.Sprintf(`document.title.startsWith(%q)`, name))
		p.run(chromedp.Evaluate(`for (const e of document.querySelectorAll("main details")) e.open = true`, nil))
		p.says("main", want)
	}
	p.view("compare")
	pick := func(label, name string) {
		p.run(chromedp.Evaluate(fmt.Sprintf(`(e => { e.value = [...e.options].find(o => o.text.startsWith(%q)).value; e.dispatchEvent(new Event("change")); })(document.querySelector("[aria-label='result %s']"))`, name, label), nil))
	}
	pick("A", "analyze-0.json")
	pick("B", "analyze-1.json")
	p.says(".compareview", `the bound.*▲ .*Parts of the bound.*Instructions, those that differ most`)
	pick("B", "simulate.json")
	p.says(".compareview", `A bounded, B simulated`)
	p.clean()
}

// TestRefusedPages tells what a browser gets that has the wrong token, none, or another page
// open.
func TestRefusedPages(t *testing.T) {
	browser := chrome(t)
	s, url := serving(t, example("basic/saxpy"))
	t.Cleanup(s.close)
	p := visited(t, browser, url)
	p.clean()
	bare, _, _ := strings.Cut(url, "?")

	// Another page of the same browser, which has the cookie now: on another port of this
	// host, and by another name for it.
	evil := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>evil</title><body>")
	}))
	t.Cleanup(evil.Close)
	for _, at := range []string{evil.URL, strings.Replace(evil.URL, "127.0.0.1", "localhost", 1)} {
		q := blank(t, p, at)
		for _, ask := range []string{
			fmt.Sprintf(`fetch(%q, {credentials: "include"}).then(r => r.text(), () => "refused")`, bare+"api/session"),
			fmt.Sprintf(`fetch(%q, {credentials: "include", mode: "no-cors"}).then(r => r.text().then(x => r.type + x), () => "refused")`, bare+"api/session"),
			fmt.Sprintf(`new Promise(done => { const e = document.createElement("script"); e.src = %q; e.onload = () => done("loaded"); e.onerror = () => done("refused"); document.body.append(e); })`, bare+"page.js"),
			fmt.Sprintf(`new Promise(done => { const e = document.createElement("img"); e.src = %q; e.onload = () => done("loaded"); e.onerror = () => done("refused"); document.body.append(e); })`, bare+"icon.svg"),
			fmt.Sprintf(`new Promise(done => { const e = document.createElement("iframe"); e.src = %q; e.onload = () => { try { done(e.contentDocument ? "seen" : "refused") } catch { done("refused") } }; document.body.append(e); })`, url),
		} {
			if got := awaited(q, ask); got != "refused" && got != "opaque" {
				t.Errorf("from %s: %s gives %.200q", at, ask, got)
			}
		}
	}
	// The page that was opened works still.
	if got := awaited(p, `fetch("/api/session").then(r => String(r.status))`); got != "200" {
		t.Errorf("the page itself gets %s", got)
	}
	p.run(network.ClearBrowserCookies())
	for _, at := range []string{bare, bare + "?token=wrong", bare + "page.js", strings.Replace(url, "127.0.0.1", "127.0.0.2", 1)} {
		if strings.Contains(at, "127.0.0.2") {
			continue // nothing listens there
		}
		q := blank(t, p, at)
		if got := q.text("body"); !strings.Contains(got, "no token or a wrong one") {
			t.Errorf("%s shows %.200q", at, got)
		}
	}
}

// blank is a tab of the same browser on another page.
func blank(t *testing.T, of *tab, url string) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(of.ctx)
	t.Cleanup(end)
	q := &tab{t: t, ctx: ctx, url: url}
	q.run(chromedp.Navigate(url))
	return q
}

// awaited is what a promise of text comes to.
func awaited(p *tab, expression string) string {
	p.t.Helper()
	var out string
	p.run(chromedp.Evaluate(fmt.Sprintf(`Promise.race([%s, new Promise(d => setTimeout(d, 10000, "nothing"))])`, expression), &out, chromedp.EvalAsValue, func(p *runtimeParams) *runtimeParams { return p.WithAwaitPromise(true) }))
	return out
}

// TestRandomClicks clicks and types 200 times at random, anywhere: nothing may go wrong in the
// console.
func TestRandomClicks(t *testing.T) {
	seed := uint64(settings.Seed(t, 15))
	r := rand.New(rand.NewPCG(seed, seed))
	dir := t.TempDir()
	copyTree(t, filepath.Join(examples, "rodinia/hotspot"), filepath.Join(dir, "hotspot"))
	copyTree(t, filepath.Join(examples, "inputs/kernels/nearest"), filepath.Join(dir, "nearest"))
	copyTree(t, "testdata/source", filepath.Join(dir, "source"))
	write(t, filepath.Join(dir, "conv2d.c"), textOf(t, filepath.Join(examples, "prem/programs/conv2d.c")))
	p := opened(t, Options{Path: dir})
	keys := []string{"8", "n", "N", "p", "r", "+", "-", "0", "[", "]", " ", "?", kb.Escape, kb.ArrowDown, kb.ArrowUp, kb.ArrowLeft, kb.ArrowRight, kb.Home, kb.End, kb.PageDown, kb.Enter, kb.Tab, "1", "2", "3", "4", "5", "6", "7"}
	for i := range 200 {
		switch x := r.IntN(10); {
		case x < 5: // what can be clicked
			p.run(chromedp.Evaluate(fmt.Sprintf(`(() => { const all = [...document.querySelectorAll("button, summary, .line, .step, .block, [role=tab], canvas")].filter(e => e.getClientRects().length > 0); const e = all[%d %% all.length]; e.focus?.(); const b = e.getBoundingClientRect(); for (const type of ["pointerdown", "pointerup", "click"]) e.dispatchEvent(new PointerEvent(type, {bubbles: true, clientX: b.left + %f * b.width, clientY: b.top + %f * b.height, pointerId: 1})); })()`, r.IntN(1<<20), r.Float64(), r.Float64()), nil))
		case x < 6: // anywhere
			p.run(chromedp.MouseClickXY(float64(r.IntN(1440)), float64(r.IntN(900))))
		case x < 7: // another value
			p.run(chromedp.Evaluate(fmt.Sprintf(`(() => { const all = [...document.querySelectorAll("select, input[type=range]")].filter(e => e.getClientRects().length > 0); const e = all[%d %% all.length]; if (!e) return; if (e.matches("select")) e.selectedIndex = %d %% e.options.length; else e.value = Number(e.min) + %d %% (Number(e.max) - Number(e.min) + 1); for (const type of ["input", "change"]) e.dispatchEvent(new Event(type, {bubbles: true})); })()`, r.IntN(1<<20), r.IntN(1<<20), r.IntN(1<<20)), nil))
		default:
			p.run(chromedp.KeyEvent(keys[r.IntN(len(keys))]))
		}
		if i%20 == 19 {
			p.run(chromedp.Sleep(50 * time.Millisecond))
		}
	}
	// A GPU, a number or a policy that does not go with a launch is refused, in words.
	p.allow(`status of 422`)
	p.clean()
	if got := p.text("h1"); got != "warpbound" {
		t.Errorf("the page is gone: %q", got)
	}
}

// TestFirstPaint counts what has to come before the page is drawn, and measures when it is.
func TestFirstPaint(t *testing.T) {
	p := opened(t, example("sgemm/double/sgemm_double_8.toml"))
	p.until("it is painted", `performance.getEntriesByName("first-contentful-paint").length > 0`)
	type times struct {
		Paint, Ready, Bytes float64
		Requests            []string
	}
	got := eval[times](p, `(() => {
		const paint = performance.getEntriesByName("first-contentful-paint")[0].startTime;
		const all = performance.getEntriesByType("resource");
		return {paint, ready: performance.getEntriesByName("ready")[0].startTime,
			bytes: all.filter(r => !r.name.includes("/api/")).reduce((a, r) => a + r.decodedBodySize, 0),
			requests: all.filter(r => r.startTime < paint).map(r => new URL(r.name).pathname)};
	})()`)
	t.Logf("first contentful paint after %.0f ms, the launch with its bound after %.0f ms, %.0f bytes of page", got.Paint, got.Ready, got.Bytes)
	if got.Bytes > 200_000 {
		t.Errorf("the page has %.0f bytes, want less than 200,000", got.Bytes)
	}
	for _, r := range got.Requests {
		if r != "/page.js" && r != "/page.css" && r != "/icon.svg" && !strings.HasPrefix(r, "/api/") {
			t.Errorf("%s is loaded before the page is drawn", r)
		}
	}
}

// TestFrames pans and zooms a timeline of a million slices: the work of a frame may depend on
// what is shown only, and not on how much there is.
func TestFrames(t *testing.T) {
	p := opened(t, Options{Path: filepath.Join(examples, "vortex/kernels/psort/psort.toml"), GPU: "vortex-32x32"})
	p.view("timeline")
	p.says(".range", `of 329,710 cycles, 1,118,772 slices`)
	p.until("levels are computed", `performance.getEntriesByName("warm").length > 0`)
	t.Logf("the levels of detail are there %.0f ms after the page was ready", eval[float64](p, `performance.getEntriesByName("warm")[0].startTime - performance.getEntriesByName("ready")[0].startTime`))
	type frames struct {
		Draws, Frames []float64
		Most, Room    int
	}
	var got frames
	p.run(chromedp.Evaluate(`(async () => {
		const stage = document.getElementById("timeline");
		const press = key => stage.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
		const next = () => new Promise(requestAnimationFrame);
		performance.clearMeasures("timeline");
		const frames = [];
		let most = 0, last = await next();
		const keys = [...Array(14).fill("+"), ...Array(20).fill("ArrowRight"), ...Array(14).fill("-"), "0", ...Array(10).fill("+"), ...Array(40).fill("ArrowLeft"), ...Array(12).fill("-")];
		for (const key of keys) {
			press(key);
			const now = await next();
			frames.push(now - last);
			last = now;
			most = Math.max(most, Number(stage.dataset.touched ?? 0));
		}
		const canvas = stage.querySelector("canvas");
		return {draws: performance.getEntriesByName("timeline").map(e => e.duration), frames, most, room: canvas.width * Math.ceil(canvas.height / 16)};
	})()`, &got, chromedp.EvalAsValue, func(p *runtimeParams) *runtimeParams { return p.WithAwaitPromise(true) }))
	if len(got.Draws) < 100 || got.Most == 0 {
		t.Fatalf("%d frames were drawn, of at most %d steps", len(got.Draws), got.Most)
	}
	t.Logf("1,118,772 slices: a frame is drawn in %s ms; frames come %s ms apart; at most %d steps for %d pixels by rows", spread(got.Draws), spread(got.Frames), got.Most, got.Room)
	if got.Most > 6*got.Room {
		t.Errorf("a frame takes %d steps for %d pixels by rows", got.Most, got.Room)
	}
}

// spread is the median, the 95th percentile and the largest of numbers.
func spread(list []float64) string {
	sorted := append([]float64{}, list...)
	for i := range sorted {
		for j := i; j > 0 && sorted[j] < sorted[j-1]; j-- {
			sorted[j], sorted[j-1] = sorted[j-1], sorted[j]
		}
	}
	n := len(sorted)
	return fmt.Sprintf("%.1f (median), %.1f (95 %%), %.1f (most)", sorted[n/2], sorted[n*95/100], sorted[n-1])
}

// TestKeyboardOnly reaches every view and works it without a mouse.
func TestKeyboardOnly(t *testing.T) {
	p := opened(t, Options{Path: "testdata/source/dot.toml"})
	p.run(chromedp.KeyEvent("?"))
	p.until("the keys are listed", `document.querySelector("dialog").open`)
	p.run(chromedp.KeyEvent(kb.Escape))
	p.until("the list is closed", `!document.querySelector("dialog").open`)
	for i, view := range []string{"code", "path", "timeline", "bound", "whatif", "compare", "report", "makespan"} {
		p.run(chromedp.Evaluate(`document.activeElement.blur()`, nil), chromedp.KeyEvent(fmt.Sprint(i+1)))
		p.until("key "+fmt.Sprint(i+1), fmt.Sprintf(`document.getElementById("main").dataset.view === %q && document.activeElement.id === "tab-%s"`, view, view))
		// Tab goes through the view: something gets the focus, visibly, and everything has a name.
		seen := map[string]bool{}
		for range 12 {
			p.run(chromedp.KeyEvent(kb.Tab))
			seen[eval[string](p, `(e => { const s = getComputedStyle(e); return e.tagName + " " + e.textContent.slice(0, 20) + (e.id || e.className?.baseVal || e.className) + " " + (s.outlineStyle !== "none" || s.strokeWidth !== "0px" ? "visible" : "INVISIBLE") })(document.activeElement)`)] = true
		}
		if len(seen) < 3 {
			t.Errorf("%s: Tab reaches %v only", view, seen)
		}
		for s := range seen {
			if strings.Contains(s, "INVISIBLE") && !strings.Contains(s, "BODY") && !strings.Contains(s, "g block") {
				t.Errorf("%s: the focus is not to be seen on %s", view, s)
			}
		}
	}
	p.run(chromedp.Evaluate(`document.activeElement.blur()`, nil), chromedp.KeyEvent("1"), chromedp.KeyEvent(kb.ArrowRight))
	p.until("arrows go from tab to tab", `document.activeElement.id === "tab-path"`)
	p.clean()
}

// TestNames tells that everything that can be worked has a name for those who do not see it.
func TestNames(t *testing.T) {
	for _, o := range []Options{{Path: "testdata/source/dot.toml"}, example("prem/programs/conv2d.c")} {
		p := opened(t, o)
		for _, view := range eval[[]string](p, `[...document.querySelectorAll("[role=tab]")].map(e => e.id.slice(4))`) {
			p.view(view)
			nameless := eval[[]string](p, `[...document.querySelectorAll("button, select, input, [role=listbox], [role=application], [role=img], [tabindex='0'], table, progress, dialog, section.pane")]
				.filter(e => !(e.getAttribute("aria-label") || e.innerText?.trim() || e.textContent?.trim() || e.labels?.length || document.getElementById(e.getAttribute("aria-labelledby") ?? "")))
				.map(e => e.outerHTML.slice(0, 200))`)
			for _, e := range nameless {
				t.Errorf("%s has no name: %s", view, e)
			}
			double := eval[[]string](p, `(all => all.filter((x, i) => all.indexOf(x) !== i))([...document.querySelectorAll("[id]")].map(e => e.id))`)
			if len(double) > 0 {
				t.Errorf("%s: ids are not unique: %v", view, double)
			}
		}
		p.clean()
	}
}
