package crouzet2024

// paperKernel is a kernel of Crouzet2024: its instructions (Table I), and SWaS with
// GTLRR over baseline LRR-GTLRR with the errors of the latter (Table II).
type paperKernel struct {
	instructions int64
	ratio        float64
	errors       int64
}

var paperSWaS = map[string]paperKernel{
	"blackscholes": {192052, 1.02, 16657},
	"hotspot":      {17554, 0.92, 3147},
	"hotspot3d":    {39971, 1.00, 1662},
	"kmeans":       {164077, 1.01, 23643},
	"psort":        {492237, 0.66, 165011},
	"sgemm":        {1728, 1.08, 403},
}
