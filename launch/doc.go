// Package launch reads launch files: which kernel to start, with how many
// blocks and threads, and on which arguments.
//
//	Launch  the file, checked: kernel, geometry, arguments, loop bounds
//	RISCV   what a RISC-V program has instead of a grid: cores, warps, threads
//	Arg     a scalar, a buffer with its initial contents, or raw bytes
//	Param   what a kernel expects, to be matched by Launch.Bind
//
// Load checks a file and what it refers to; Launch.Materialise makes the
// contents of one argument. The package knows no kernel and, for PTX, no device
// address: where buffers lie is decided by whoever executes the kernel. RISC-V
// programs have a fixed memory map, in which Launch.Place puts the arguments.
//
// Contents depend on the file only, on any machine: random numbers are
// SplitMix64 (Steele, Lea, Flood, "Fast splittable pseudorandom number
// generators", OOPSLA 2014), as docs/launch-format.md states them.
package launch
