package kit

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
)

// mean of a value over things, 0 over none.
func Mean[T any](of []T, value func(*T) float64) float64 {
	sum := 0.0
	for i := range of {
		sum += value(&of[i])
	}
	return sum / float64(max(len(of), 1))
}

func Geometric[T any](of []T, value func(*T) float64) float64 {
	return math.Exp(Mean(of, func(x *T) float64 { return math.Log(value(x)) }))
}

// median is that of the values, the lower of the two in the middle.
func Median[T any](of []T, value func(*T) float64) float64 {
	if len(of) == 0 {
		return 0
	}
	var all []float64
	for i := range of {
		all = append(all, value(&of[i]))
	}
	slices.Sort(all)
	return all[(len(all)-1)/2]
}

// ranks are the places of values in ascending order; equal ones share the mean.
func Ranks(xs []float64) []float64 {
	out := make([]float64, len(xs))
	for i, x := range xs {
		below, equal := 0, 0
		for _, y := range xs {
			if y < x {
				below++
			} else if y == x {
				equal++
			}
		}
		out[i] = float64(below) + float64(equal+1)/2
	}
	return out
}

// correlation is Pearson's.
func Correlation(xs, ys []float64) float64 {
	n := float64(len(xs))
	var mx, my float64
	for i := range xs {
		mx += xs[i] / n
		my += ys[i] / n
	}
	var xy, xx, yy float64
	for i := range xs {
		xy += (xs[i] - mx) * (ys[i] - my)
		xx += (xs[i] - mx) * (xs[i] - mx)
		yy += (ys[i] - my) * (ys[i] - my)
	}
	return xy / math.Sqrt(xx*yy)
}

func Over(bound, simulated int64) float64 { return float64(bound)/float64(simulated) - 1 }

// Percent prints a ratio with two decimals, as the paper does.
func Percent(x float64) string {
	s := fmt.Sprintf("%.2f", 100*x)
	if s == "-0.00" {
		return "0.00"
	}
	return s
}

func Base(launch string) string { return strings.TrimSuffix(path.Base(launch), ".toml") }

// Points prints a ratio in percent with one decimal, Fixed and Tenth a number with
// four decimals and with one.
func Points(x float64) string { return fmt.Sprintf("%.1f", 100*x) }
func Fixed(x float64) string  { return fmt.Sprintf("%.4f", x) }
func Tenth(x float64) string  { return fmt.Sprintf("%.1f", x) }

// Factor is a machine that differs from another in one thing.
type Factor struct{ Name, GPU string }
