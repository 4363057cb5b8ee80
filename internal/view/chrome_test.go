package view

import (
	"context"
	"fmt"
	stdlog "log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/warpbound/warpbound/internal/testkit/optional"
)

// browser is one Chromium for all tests that need one.
var browser struct {
	once  sync.Once
	ctx   context.Context
	close func()
	err   error
}

// TestMain ends the browser, if a test began one.
func TestMain(m *testing.M) {
	code := m.Run()
	if browser.close != nil {
		browser.close()
	}
	os.Exit(code)
}

// chrome gives a browser; the test is skipped where there is none.
func chrome(t *testing.T) context.Context {
	t.Helper()
	path := optional.Path(t, optional.Chromium)
	browser.once.Do(func() {
		options := append(chromedp.DefaultExecAllocatorOptions[:],
			chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.WindowSize(1440, 900),
			chromedp.Flag("force-device-scale-factor", "1"), chromedp.Flag("force-color-profile", "srgb"),
			chromedp.Flag("disable-lcd-text", true), chromedp.Flag("disable-dev-shm-usage", true), chromedp.Flag("enable-unsafe-swiftshader", true))
		alloc, endAlloc := chromedp.NewExecAllocator(context.Background(), options...)
		ctx, end := chromedp.NewContext(alloc, chromedp.WithErrorf(func(format string, args ...any) {
			if text := fmt.Sprintf(format, args...); !strings.Contains(text, "unhandled") { // events that are newer than the client
				stdlog.Print(text)
			}
		}))
		browser.ctx, browser.close = ctx, func() { end(); endAlloc() }
		browser.err = chromedp.Run(ctx)
	})
	if browser.err != nil {
		t.Fatalf("%s does not start: %v", path, browser.err)
	}
	return browser.ctx
}

// tab is a tab of the browser on a page.
type tab struct {
	t   *testing.T
	ctx context.Context
	url string

	mu    sync.Mutex
	wrong []string // exceptions, and errors of the console
}

// opened serves what is named and opens it in a tab of its own.
func opened(t *testing.T, o Options) *tab {
	t.Helper()
	ctx := chrome(t)
	s, url := serving(t, o)
	t.Cleanup(s.close)
	return visited(t, ctx, url)
}

// serving serves what is named for as long as the test runs.
func serving(t *testing.T, o Options) (*site, string) {
	t.Helper()
	s, err := newSite(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(nil)
	token := newToken()
	server.Config.Handler = guarded(s.handler(), server.Listener.Addr().String(), token)
	server.Start()
	t.Cleanup(server.Close)
	return s, fmt.Sprintf("http://%s/?token=%s", server.Listener.Addr(), token)
}

// visited opens a tab on a URL, and waits until the page is ready.
func visited(t *testing.T, browser context.Context, url string) *tab {
	t.Helper()
	ctx, end := chromedp.NewContext(browser)
	t.Cleanup(end)
	ctx, cancel := context.WithTimeout(ctx, 3*time.Minute)
	t.Cleanup(cancel)
	p := &tab{t: t, ctx: ctx, url: url}
	chromedp.ListenTarget(ctx, func(e any) {
		p.mu.Lock()
		defer p.mu.Unlock()
		switch e := e.(type) {
		case *runtime.EventExceptionThrown:
			p.wrong = append(p.wrong, e.ExceptionDetails.Error())
		case *runtime.EventConsoleAPICalled:
			if e.Type == runtime.APITypeError || e.Type == runtime.APITypeWarning {
				var text []string
				for _, a := range e.Args {
					text = append(text, string(a.Value)+a.Description)
				}
				p.wrong = append(p.wrong, strings.Join(text, " "))
			}
		case *log.EventEntryAdded:
			if e.Entry.Level == log.LevelError || e.Entry.Level == log.LevelWarning {
				p.wrong = append(p.wrong, e.Entry.Text+" "+e.Entry.URL)
			}
		}
	})
	p.run(page.BringToFront(), chromedp.EmulateViewport(1440, 900), chromedp.Navigate(url))
	p.until("the page is ready", `performance.getEntriesByName("ready").length > 0`)
	return p
}

// run has the tab do something.
func (p *tab) run(actions ...chromedp.Action) {
	p.t.Helper()
	if err := chromedp.Run(p.ctx, actions...); err != nil {
		p.t.Fatalf("%v; %s", err, p.said())
	}
}

// eval is the value of an expression.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	var out T
	p.run(chromedp.Evaluate(expression, &out))
	return out
}

// until waits for a condition.
func (p *tab) until(what, condition string) {
	p.t.Helper()
	var ok bool
	if err := chromedp.Run(p.ctx, chromedp.Poll(condition, &ok, chromedp.WithPollingTimeout(time.Minute), chromedp.WithPollingInterval(20*time.Millisecond))); err != nil {
		var page string
		_ = chromedp.Run(p.ctx, chromedp.Evaluate(`document.body.innerText.slice(0, 2000)`, &page))
		p.t.Fatalf("waiting until %s (%s): %v; %s; the page:\n%s", what, condition, err, p.said(), page)
	}
}

// said is what went wrong in the page.
func (p *tab) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.wrong) == 0 {
		return "nothing wrong in the console"
	}
	return "in the console: " + strings.Join(p.wrong, "\n")
}

// clean fails the test where the page had errors or warnings.
func (p *tab) clean() {
	p.t.Helper()
	if got := p.said(); len(p.wrong) > 0 {
		p.t.Error(got)
	}
}

// view goes to a view.
func (p *tab) view(id string) {
	p.t.Helper()
	p.run(chromedp.Click("#tab-"+id, chromedp.ByQuery))
	p.until("the view "+id+" is shown", fmt.Sprintf(`document.getElementById("main").dataset.view === %q`, id))
}

// scheme has the page see a preference for light or dark.
func (p *tab) scheme(name string) {
	p.t.Helper()
	p.run(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
}

// shot is a picture of the page.
func (p *tab) shot() []byte {
	p.t.Helper()
	var data []byte
	p.run(chromedp.CaptureScreenshot(&data))
	return data
}

const examples = "../../examples"

func example(path string) Options { return Options{Path: filepath.Join(examples, path)} }

// runtimeParams are those of an expression.
type runtimeParams = runtime.EvaluateParams

func textOf(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
