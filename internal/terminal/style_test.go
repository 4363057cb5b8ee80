package terminal

import (
	"strings"
	"testing"
)

func TestBar(t *testing.T) {
	for share, want := range map[float64]string{
		0: "    ", 1e-9: "▏   ", 0.125: "▌   ", 0.25: "█   ", 0.5: "██  ", 0.97: "███▉", 1: "████", 1.5: "████", -1: "    ",
	} {
		if got := Bar(share, 4); got != want {
			t.Errorf("%v: %q, want %q", share, got, want)
		}
	}
}

// Colours change no character, and say nothing that the text does not.
func TestColour(t *testing.T) {
	const report = "kernel  k (k.toml)\nBOUND   5,670 cycles\nTHIS INPUT  9 cycles\nPATH    12\n\nsum of   share\n───────────────\nlast     50.00 % ██▏\n\nassumed:\n  A2 BOUND  x\n"
	defer SetStyle(Style{})
	if got := Colour(report); got != report {
		t.Errorf("colours that nobody asked for: %q", got)
	}
	SetStyle(Style{Colours: true})
	got := Colour(report)
	for _, want := range []string{green + "BOUND" + plain + "   5,670", yellow + "THIS INPUT" + plain, bold + "PATH" + plain, bold + "sum of   share" + plain, dim + "──", cyan + "██▏" + plain, bold + "assumed:" + plain, "\n  A2 BOUND  x\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %q", want, got)
		}
	}
	for _, code := range []string{bold, dim, red, green, yellow, cyan, plain} {
		got = strings.ReplaceAll(got, code, "")
	}
	if got != report {
		t.Errorf("without colours it is %q", got)
	}
}
