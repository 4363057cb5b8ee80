package view

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/warpbound/warpbound/internal/testkit/golden"
	"github.com/warpbound/warpbound/internal/testkit/settings"
)

// pictures is where the page of documentation has them.
const pictures = "../../docs/view"

// scene is a state of the page that is compared with what it was.
type scene struct {
	name   string
	o      Options
	view   string
	scheme string
	do     func(p *tab)
}

func scenes() []scene {
	dot := Options{Path: "testdata/source/dot.toml"}
	return []scene{
		{"code", dot, "code", "light", func(p *tab) {
			p.run(chromedp.Focus("#main .code[aria-label^=PTX]", chromedp.ByQuery), chromedp.KeyEvent("n"))
			p.says("#detail", "ld.global.f32")
		}},
		{"code-sgemm-dark", example("sgemm/double/sgemm_double_8.toml"), "code", "dark", nil},
		{"path-nearest", example("inputs/kernels/nearest/nearest.toml"), "path", "light", func(p *tab) {
			p.run(chromedp.Focus(".steps", chromedp.ByQuery), chromedp.KeyEvent("n"))
			p.says(".where", "ld.global.f32")
		}},
		{"timeline", example("sgemm/double/sgemm_double_8.toml"), "timeline", "light", func(p *tab) {
			p.says(".range", "9,186")
		}},
		{"timeline-cycles-dark", example("sgemm/double/sgemm_double_8.toml"), "timeline", "dark", func(p *tab) {
			p.says(".range", "9,186")
			p.run(chromedp.Focus("#timeline", chromedp.ByQuery), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent("]"), chromedp.KeyEvent(kb.Home))
			for range 7 {
				p.run(chromedp.KeyEvent("+"))
			}
			p.run(chromedp.KeyEvent(kb.Home), chromedp.KeyEvent("]"))
			p.says(".range", "^0 to 72 of")
		}},
		{"bound", example("rodinia/hotspot/hotspot.toml"), "bound", "light", nil},
		{"whatif", dot, "whatif", "light", func(p *tab) { p.says("main", "What becomes of the") }},
		{"compare", example("sgemm/double/sgemm_double_8.toml"), "compare", "light", func(p *tab) {
			slide(p, "knob-timing-memory-latency-cycles", 400)
			p.says("#verdict", `\+[\d,]+ \(`)
			p.says(".compareview", "▲")
			p.says("#verdict", `simulated [\d,]+ =`)
		}},
		{"makespan", dot, "makespan", "light", func(p *tab) { p.says(".makespanview", "exactly 25") }},
		{"prem", example("prem/programs/conv2d.c"), "prem", "light", func(p *tab) { p.says("main", "hand-overs") }},
		{"vortex", Options{Path: filepath.Join(examples, "vortex/kernels/hotspot/hotspot.toml"), GPU: "vortex-32x32"}, "code", "light", nil},
	}
}

// TestScenes compares what the page shows with what it showed: its outline, that is all
// names, roles and numbers in their order, always and exactly; and its picture with
// tolerance, where the machine has the fonts that the picture was taken with.
func TestScenes(t *testing.T) {
	for _, s := range scenes() {
		t.Run(s.name, func(t *testing.T) {
			p := opened(t, s.o)
			p.scheme(s.scheme)
			p.until("it is simulated", `!document.body.classList.contains("withpanel") || /^simulated/.test(document.getElementById("simstate").textContent)`)
			p.view(s.view)
			p.run(chromedp.Evaluate(`document.activeElement.blur()`, nil))
			if s.do != nil {
				s.do(p)
			}
			// What differs from run to run.
			p.run(chromedp.Evaluate(`(() => { const s = new CSSStyleSheet(); s.replaceSync("#millis, #simstate, #status { visibility: hidden } * { caret-color: transparent }"); document.adoptedStyleSheets = [s]; })()`, nil))
			golden.File(t, filepath.Join("testdata", "outline", s.name+".txt"), outline(p))
			p.run(chromedp.Sleep(200 * time.Millisecond))
			comparePicture(t, p, filepath.Join(pictures, s.name+".png"))
			p.clean()
		})
	}
}

// outline is what the page says to those who do not see it: a line for each heading, caption,
// row, control and picture.
func outline(p *tab) string {
	return eval[string](p, `(() => {
		const out = [];
		const said = e => (e.getAttribute("aria-label") || e.textContent || "").replace(/\s+/g, " ").trim();
		const walk = (e, depth) => {
			if (e.hidden || e.id === "millis" || e.id === "simstate" || e.id === "status") return;
			const tag = e.tagName.toLowerCase(), role = e.getAttribute("role");
			const put = text => out.push("  ".repeat(depth) + text);
			if (tag === "tr") return put("row " + [...e.children].map(said).join(" | "));
			if (tag === "option" || tag === "thead" && e.parentElement.rows.length === 0) return;
			if (tag === "select") return put("choice " + said(e) + ": " + (e.selectedOptions[0]?.textContent ?? ""));
			if (tag === "input") return put(e.type + " " + (e.labels[0] ? said(e.labels[0]) : said(e)) + (e.type === "checkbox" ? ": " + e.checked : ": " + e.value));
			if (tag === "button") return put((role || "button") + " " + said(e) + (e.getAttribute("aria-selected") === "true" ? " (selected)" : ""));
			if (role === "option") {
				if (!e.matches(".dead")) put([...e.children].map(c => c.textContent.trim()).filter(Boolean).join(" | ") + (e.getAttribute("aria-selected") === "true" ? " (selected)" : "") + (e.classList.contains("on") ? " (marked)" : ""));
				return;
			}
			if (e.matches(".block")) return put(said(e) + (e.classList.contains("on") ? " (marked)" : ""));
			if (["h1", "h2", "h3", "caption", "legend", "figcaption", "summary", "p", "output", "label"].includes(tag)) { if (said(e)) put(tag + " " + said(e)); if (tag !== "label") return; }
			if (tag === "canvas") return put("canvas");
			if (tag === "pre") return put("text of " + e.textContent.split("\n").length + " lines");
			if (e.matches("#verdict > span, .range, .legend > span")) return put(said(e));
			let next = depth;
			if (role || ["section", "table", "aside", "main", "header", "footer", "fieldset"].includes(tag)) { put((role || tag) + (e.getAttribute("aria-label") ? " " + e.getAttribute("aria-label") : "")); next++; }
			for (const c of e.children) walk(c, next);
		};
		for (const e of document.body.children) if (e.tagName !== "DIALOG") walk(e, 0);
		return out.join("\n") + "\n";
	})()`)
}

// Pictures are compared in squares of this many pixels: a square differs where the mean of
// one of its colours does by more than this, of 255; and pictures do, where more of their
// squares do than this share. Text that is drawn a little differently is below that, a part
// that moved or has another colour is above.
const (
	square        = 16
	mostOfSquare  = 24
	mostOfSquares = 0.01
)

// comparePicture compares a picture of the page with the one committed, or takes that anew.
func comparePicture(t *testing.T, p *tab, file string) {
	t.Helper()
	got := p.shot()
	// How wide text is tells fonts apart.
	fonts := eval[string](p, `(c => ["13px system-ui, 'Segoe UI', 'Helvetica Neue', 'DejaVu Sans', sans-serif", "12px ui-monospace, 'SF Mono', 'DejaVu Sans Mono', Consolas, monospace"].map(f => { c.font = f; return c.measureText("warpbound 12,049 cycles").width.toFixed(1); }).join(" "))(document.createElement("canvas").getContext("2d"))`)
	fontFile := filepath.Join("testdata", "fonts.txt")
	if settings.Updating(t) {
		golden.File(t, fontFile, fonts+"\n")
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		old, err := os.ReadFile(file)
		if err == nil && differing(t, old, got) <= mostOfSquares {
			return // the same to the eye
		}
		if err := os.WriteFile(file, smaller(t, got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want := strings.TrimSpace(textOf(t, fontFile)); fonts != want {
		t.Logf("the picture is not compared, its outline only: text is %s pixels wide here, and %s where %s was taken", fonts, want, file)
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v (%s=1 takes it)", err, settings.UpdateGoldenName)
	}
	if share := differing(t, want, got); share > mostOfSquares {
		failed := filepath.Join(os.TempDir(), "view-"+filepath.Base(file))
		if err := os.WriteFile(failed, got, 0o644); err != nil {
			t.Error(err)
		}
		t.Errorf("%.1f %% of %s differ, more than %.1f %%: it is now %s", 100*share, file, 100*mostOfSquares, failed)
	}
}

// smaller is a picture in fewer bytes: in 86 levels of each colour, which nobody sees.
func smaller(t *testing.T, data []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out := image.NewNRGBA(img.Bounds())
	for y := out.Rect.Min.Y; y < out.Rect.Max.Y; y++ {
		for x := out.Rect.Min.X; x < out.Rect.Max.X; x++ {
			r, g, b, _ := img.At(x, y).RGBA()
			level := func(v uint32) uint8 { return uint8((v>>8 + 1) / 3 * 3) }
			out.SetNRGBA(x, y, color.NRGBA{level(r), level(g), level(b), 255})
		}
	}
	var to bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&to, out); err != nil {
		t.Fatal(err)
	}
	return to.Bytes()
}

// differing is the share of squares in which two pictures differ.
func differing(t *testing.T, a, b []byte) float64 {
	t.Helper()
	x, y := means(t, a), means(t, b)
	if len(x) != len(y) {
		return 1
	}
	n := 0
	for i := range x {
		for c := range 3 {
			if d := x[i][c] - y[i][c]; d > mostOfSquare || d < -mostOfSquare {
				n++
				break
			}
		}
	}
	return float64(n) / float64(len(x))
}

// means are the mean colours of the squares of a picture.
func means(t *testing.T, data []byte) [][3]int {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var out [][3]int
	box := img.Bounds()
	for y := box.Min.Y; y < box.Max.Y; y += square {
		for x := box.Min.X; x < box.Max.X; x += square {
			var sum [3]int
			part := image.Rect(x, y, x+square, y+square).Intersect(box)
			for py := part.Min.Y; py < part.Max.Y; py++ {
				for px := part.Min.X; px < part.Max.X; px++ {
					r, g, b, _ := img.At(px, py).RGBA()
					sum[0] += int(r >> 8)
					sum[1] += int(g >> 8)
					sum[2] += int(b >> 8)
				}
			}
			n := part.Dx() * part.Dy()
			out = append(out, [3]int{sum[0] / n, sum[1] / n, sum[2] / n})
		}
	}
	return out
}

// TestDiffering tells that what a picture is compared by sees what moved.
func TestDiffering(t *testing.T) {
	draw := func(x0 int, level uint8) []byte {
		img := image.NewGray(image.Rect(0, 0, 400, 400))
		for i := range img.Pix {
			img.Pix[i] = 240
		}
		for y := 100; y < 160; y++ {
			for x := x0; x < x0+60; x++ {
				img.Pix[y*400+x] = level
			}
		}
		var out bytes.Buffer
		if err := png.Encode(&out, img); err != nil {
			t.Fatal(err)
		}
		return out.Bytes()
	}
	base := draw(100, 40)
	for _, c := range []struct {
		name   string
		other  []byte
		differ bool
	}{{"the same", draw(100, 40), false}, {"a shade", draw(100, 50), false}, {"moved", draw(140, 40), true}, {"another colour", draw(100, 200), true}} {
		if share := differing(t, base, c.other); (share > mostOfSquares) != c.differ {
			t.Errorf("%s: %.3f of the squares differ", c.name, share)
		}
	}
	if fmt.Sprint(means(t, base)[0]) != "[240 240 240]" {
		t.Errorf("the mean of a plain square is %v", means(t, base)[0])
	}
}
