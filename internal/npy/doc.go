// Package npy reads and writes NumPy's array files, as far as kernel buffers
// need them: format version 1.0, little endian, C order, plain numbers.
//
//	Header  element type and shape of a file
//	Read    a whole file: header and contents
//	Write   a one-dimensional file
//
// Contents stay bytes; what they mean is told by Header.Descr ("<f4", "|u1").
// Big-endian files, Fortran order beyond one dimension, structured and object
// types, and other format versions are refused by name.
//
// Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays".
package npy
