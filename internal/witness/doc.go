// Package witness writes certificates of bounds by the method sum (package certificate,
// docs/certificates.md): for each expression of what warps execute the potentials that
// show how long it takes alone, and what it charges others.
//
// Times are evaluated as docs/soundness/inputs.md, section 23, has them: vectors of
// maxima of sums, joined where there is a choice. Each evaluation of a part is kept as a
// use, with the vectors before and behind it. Loops are followed until their vectors
// repeat, or move evenly; then a single round stands for all groups of iterations left
// (theorem 43 (potentials)).
//
// What a certificate concludes is computed by the checker (package certify), which also
// checks each one before it is returned.
package witness
