// Package uniform checks that the threads of a warp take every branch of a Vortex program together, whatever the data: a
// conditional branch whose active threads disagree is illegal on that machine, and compilers, which know nothing of it, make
// branches of selects and comparisons.
//
// Check follows which registers may differ between the active threads of a warp: those computed from the number of the
// thread or read from an address that differs, and those written on one side of a split, or by a loop that threads leave at a
// pred, once the threads are together again. It follows calls without their contexts, and the stack by its slots; it
// demands that splits and joins nest, as in structured programs. It may refuse a program that is right. It says nothing of
// memory that threads share, of barriers, or of what a program does with masks and depths that it computes.
package uniform
