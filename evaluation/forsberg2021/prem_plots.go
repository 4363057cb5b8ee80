package forsberg2021

import (
	"github.com/warpbound/warpbound/evaluation/internal/kit"
	"github.com/warpbound/warpbound/internal/plot"
)

// premOfPanel is how many kernels a panel has room for, and premMost where bars are
// cut off.
const (
	premOfPanel = 19
	premMost    = 6
)

// layered draws several bars side by side for each kernel, each bar with layers
// from the back to the front.
func layered(title, label string, most float64, all []premKernel, layers []string, things int, value func(k *premKernel, thing, layer int) float64) plot.Figure {
	f := plot.Figure{Title: title, Width: 1500, PanelHeight: 210}
	for from := 0; from < len(all); from += premOfPanel {
		in := all[from:min(from+premOfPanel, len(all))]
		// Above the bars there is room for the legend.
		p := plot.Panel{Y: plot.Axis{Label: label, Max: 1.25 * most}, Levels: []plot.Level{{Y: 1}}}
		for i := range in {
			p.X.Names = append(p.X.Names, in[i].loop.Kernel+" "+in[i].group())
		}
		for layer, name := range layers {
			s := plot.Series{Style: plot.Layers}
			if from == 0 {
				s.Name = name
			}
			for i := range in {
				for thing := range things {
					x := float64(i) + 0.22*(float64(thing)-float64(things-1)/2)
					s.Points = append(s.Points, plot.Point{X: x, Y: min(most, value(&in[i], thing, layer))})
				}
			}
			p.Series = append(p.Series, s)
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// premFigures are Forsberg2021, Fig. 7 to 10.
func (r *results) premFigures() []kit.Figure {
	all := r.premKernels(premUnroll)
	scheme := func(k *premKernel, thing int) *phaseRow { return []*phaseRow{k.cmpt, k.dae, k.sdma}[thing] }
	alone := layered("Code and synchronisation of CMPT, DAE and SDMA (from left to right) over BASE; bars end at 6", "time over BASE", premMost, all,
		[]string{"synchronisation", "code"}, 3, func(k *premKernel, thing, layer int) float64 {
			if layer == 0 {
				return k.alone(scheme(k, thing))
			}
			return k.code(scheme(k, thing))
		})
	fair := layered("CMPT, DAE and SDMA (from left to right) under a schedule, over BASE; bars end at 6", "time over BASE", premMost, all,
		[]string{"idle: fair sharing", "idle: budgets", "code and synchronisation"}, 3, func(k *premKernel, thing, layer int) float64 {
			p := scheme(k, thing)
			switch layer {
			case 0:
				return k.fair(p)
			case 1:
				return k.best(p)
			}
			return k.alone(p)
		})
	beside := layered("BASE and SDMA with the guard (from left to right) beside busy CPU cores, over BASE alone; bars end at 6", "time over BASE", premMost, all,
		[]string{"random rows", "sequential", "alone"}, 2, func(k *premKernel, thing, layer int) float64 {
			with := 1.0
			if layer < 2 {
				with = k.besideBase(1 - layer)
			}
			if thing == 0 {
				return with
			}
			if with = 1; layer < 2 {
				with = k.besideSDMA(1 - layer)
			}
			return with * k.guarded()
		})
	sensitivity := layered("Sensitivity of BASE and SDMA (from left to right): time beside busy CPU cores over time alone", "ratio", 1.3, all,
		[]string{"random rows", "sequential"}, 2, func(k *premKernel, thing, layer int) float64 {
			if thing == 0 {
				return k.besideBase(1 - layer)
			}
			return k.besideSDMA(1 - layer)
		})
	return []kit.Figure{
		{Figure: alone, File: kit.DataDir + "/prem-alone.svg"}, {Figure: fair, File: kit.DataDir + "/prem-fair.svg"},
		{Figure: beside, File: kit.DataDir + "/prem-beside.svg"}, {Figure: sensitivity, File: kit.DataDir + "/prem-sensitivity.svg"},
	}
}
