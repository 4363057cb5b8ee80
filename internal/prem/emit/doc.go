// Package emit writes generated kernels as source text: CUDA C++, OpenCL C, and
// for the CUDA form a host program in C that allocates, initialises, launches,
// times and saves.
//
//	Module    a function with its kernels, what all three texts are made from
//	CUDA      the kernels of one module or several, with the device's side of the
//	          guard where asked for
//	OpenCL    the same for OpenCL 1.2
//	Harness   the host program: one .cu file that nvcc makes a program of
//	ClangPTX  PTX of the CUDA text by clang, where that is installed
//
// # Exactness
//
// The text computes what the representation says, bit for bit, with a compiler's
// default flags. In CUDA C++ products, quotients and roots are the intrinsics
// that are never contracted and always rounded to nearest (__fmul_rn, __ddiv_rn,
// ...); sums are operators, as a sum is contracted with a `*` only. -use_fast_math
// flushes subnormals and has to stay off. In OpenCL C contraction is switched off
// by a pragma, and the program has to be built with
// -cl-fp32-correctly-rounded-divide-sqrt, without which OpenCL allows float
// quotients and roots an error; the text says so where that matters. In the
// host part products are stored to a volatile variable before they are used.
//
// Sums, differences and products of int and long are plain operators, undefined
// where they overflow, as they are in the source. exp, log, pow and the
// trigonometric functions are the library's: no two libraries agree in their last
// bit, nor in the sign of fmin and fmax of two zeros. Subnormal floats are as good
// in OpenCL as the device has them (CL_FP_DENORM).
//
// # Arguments
//
// An array of structures is one argument, of a struct that is defined in the text;
// the structures' members are taken apart everywhere else: a structure by value is
// a scalar for each member, p.x in the harness's options and p_x in the text. Names
// that clash with a word of CUDA, OpenCL, C++ or their headers get a `_`.
//
// What the function returns the harness prints, floating values in hexadecimal, too.
// A scratchpad of more than 48 KiB is dynamic shared memory, for which the harness
// sets the kernel's attribute.
//
// The harness's arrays are managed memory. On a discrete GPU pages move on first
// use, and the times that --time gives include that.
//
// # The guard
//
// A guarded kernel takes one more argument, the token in memory that CPU and GPU
// share. Sync calls enter_mem or enter_comp: a barrier, the protocol of guard
// by the team's first thread, a barrier. Several teams meet at the token's arrival
// word (word 96: live teams in the upper half, arrived ones in the lower): the
// last to arrive, or to leave, writes the request. All teams have to be resident
// at once, which the harness checks. Barriers 1 and 2 of the hardware (in PTX
// bar.sync 1 and 2) are those of enter_mem and enter_comp, 0 is every other one;
// that is how phases are recognised in PTX. With a null token, or without the
// guard, the two are barriers.
//
// OpenCL 1.2 has no memory shared coherently with a running host program; its
// form of the guard relies on what integrated GPUs do in practice (a buffer in
// host memory, atomics on it seen by both) and is for those.
//
// # What it is not
//
// It makes no kernels (internal/prem/scheme does) and judges none: a module must pass
// loop.Check and device.Check. The host program does not hold the CPU's cores
// during memory phases; guard does.
//
// Source: Forsberg2021, sections 3.2.3 and 3.3.
package emit
