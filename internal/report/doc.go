// Package report turns results into text, dot graphs and pictures. It decides
// nothing: every number it prints was computed elsewhere.
package report
