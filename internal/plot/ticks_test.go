package plot

import "testing"

// No tick is labelled -0.
func TestTicksAroundZero(t *testing.T) {
	labels := map[string]bool{}
	for _, tick := range (wholeTicks{}).Ticks(-100, 250) {
		labels[tick.Label] = true
	}
	if labels["-0"] || !labels["0"] {
		t.Errorf("labels %v, expected 0 and no -0", labels)
	}
}
