// Package seq holds instruction sequences in folded form: a run of symbols, or
// a body repeated a given number of times, nested to any depth.
//
// A symbol is an index into a table kept elsewhere (for a warp, the table of
// its kernel's static instructions). The package knows nothing of what a symbol
// means, of kernels, of time or of hardware; it is the one thing that the
// recorder of warp paths and the analyses of timing share. It finds no
// repetitions by itself.
//
// Main types: Seq, an immutable sequence; Item, a run or a repetition. Equal
// bodies may be one *Seq, referred to many times: no function here walks a
// shared body once per repetition except All, which yields every symbol.
package seq
