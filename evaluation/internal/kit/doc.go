// Package kit is what the repeated evaluations share: a bench that opens GPUs and
// example launches, data files, the page that shows tables between markers, and means
// and ranks of figures.
package kit
