// Package cache holds models of one set-associative cache: which accesses of an
// ordered sequence hit, which miss, and what a miss throws out.
//
// A Config says how many sets and ways there are, how an address finds its set,
// who is replaced and what a store does. A Cache is one such cache; Access is an
// access that reaches the tags, and changes them at once, so that what hits
// depends on the order of the accesses and on nothing else. Counts adds results
// up.
//
// There is no time here: no hit that waits for a line in flight, no MSHR, no bank.
// There are no kernels and no warps either; who asks in which order is the
// caller's business. The order that makes the answers exact is the one that a
// reordering unit enforces (Huangfu2017, Section III-E: the miss-rate estimator).
package cache
