package kit

import "github.com/warpbound/warpbound/internal/plot"

// Figure is a picture and the file it is in, below the root of the module.
type Figure struct {
	plot.Figure
	File string
}
