// Package plot draws figures of a few series of numbers as PNG and SVG: lines,
// markers and bars, panels one above the other, linear or logarithmic axes. It is
// a thin layer over gonum.org/v1/plot that fixes what the figures of this project
// have in common: colours that people with the common forms of colour blindness
// tell apart, whole numbers on axes that count, and the same bytes for the same
// figure.
//
// A Figure has Panels, a Panel has Series and Levels. The package computes nothing
// and knows nothing of what it draws.
package plot
