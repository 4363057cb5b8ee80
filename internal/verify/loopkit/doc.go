// Package loopkit is what tests of the compiler and of its timing share about package
// loop.
//
//	Print, Lines        a unit as text, a line a statement; what makes such texts
//	Run                 a function executed for its effects
//	Fill, Floats, ...   buffers from and to Go's slices
//	Arguments, Results  the memory of an example program as arguments, and back
package loopkit
