// Package cfront reads C99 with OpenMP target loops into the representation of
// package loop. Parse, and ParseWith where it includes files, are the whole interface.
//
// The C is parsed and typed by modernc.org/cc for linux/amd64; no compiler of the
// host is asked, and the only headers are the embedded math.h, stddef.h and
// stdint.h. What a file includes by #include "name" the caller of ParseWith reads: its
// text stands where the line stood, and positions are those in the files. Of headers
// each has whole conditionals and comments, a circle is an error whatever guards it, and
// the name is written out. The OpenMP directives are parsed here:
//
//	#pragma omp target data map(...)
//	#pragma omp target teams distribute parallel for [simd]
//	    collapse(n) num_teams(e) num_threads(e) map([to|from|tofrom|alloc:] a[lo:len]..., x)
//	    reduction(+|*|min|max: x) schedule(static[, e])
//	    firstprivate(x) private(x) shared(x) default(shared|none)
//
// A private variable is declared anew in every iteration, so that an iteration
// that reads what another left there is a fault when run. nowait is refused: the
// host waits for each kernel. Under default(none) a variable of a map clause counts
// as listed.
//
// Structures whose members are scalars are taken apart: an array of them into one
// array a member (loop.Record), a parameter by value, a local or a constant into
// one variable a member, an assignment of a whole structure into one a member. The
// layout is that of the x86-64 ABI; attributes are refused, as they could change it.
//
// A function with a directive in it is lowered whole, others are listed in
// Unit.Omitted. It returns nothing or a scalar, at its end or before, but from
// neither a target loop nor a target data region. What the representation has no
// form for is refused with file:line:col and the construct's name; nothing is
// dropped or guessed. Refused are among others: goto, while, do, switch, break,
// continue, calls other than those of math.h, pointers other than array parameters,
// local arrays, unions, bit-fields, structures in structures, the operator ->,
// char, short and long double, loops of another form than `for (T i = lo; i < hi; i
// += step)` with a constant step of either sign, bounds that depend on a local or
// on memory, scalars of file scope that are not const, directives that precede no
// loop, and the _Pragma operator, which has no position of its own. A subscript
// that reads memory (A[B[i]]) is kept; that it is not affine is loop.Affine's
// answer.
//
// Extents of a parameter's dimensions are constants or integer parameters; the
// first may be missing where every kernel that uses the array maps a section.
//
// The parser has limits of its own. Its panics become errors, and inputs on which
// it is known not to return are kept from it (the tests put damaged programs to it,
// in a process of its own), but no deadline can stop it: what
// reads sources from strangers should run in a process of its own.
//
// A parameter without restrict is refused where overlap could matter: where it and
// another object without restrict, parameter or of file scope, are used in the
// function and one of them is written.
//
// What it is not: it does not check that the iterations of a loop are independent
// or that a restrict parameter does not alias, which the directive and the
// qualifier promise.
//
// Source: Forsberg2021, sections 3.1 and 3.2; OpenMP 4.5, sections 2.10 and 2.15.
package cfront
