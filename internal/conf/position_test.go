package conf

import "testing"

func TestPosition(t *testing.T) {
	for want, p := range map[string]Pos{
		"k.ptx:3:7":  {File: "k.ptx", Line: 3, Col: 7},
		"start.S:29": {File: "start.S", Line: 29}, // line tables may have no columns
		"k.ptx":      {File: "k.ptx", Col: 7},
	} {
		if got := p.String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
