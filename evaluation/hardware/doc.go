// Command hardware puts kernels on a real NVIDIA GPU and sets what it did beside what
// this module says: whether every buffer ends with the same bits, how many machine
// instructions ran, and how long the launches took. docs/hardware.md has what was
// measured, and every command.
//
//	hardware pack -o DIR [-drawn N] LAUNCH...   launches as files that need nothing of this module
//	hardware join DIR MEASURED.csv NCU.csv      the measurements of a machine as one table of launches
//	hardware page                               the tables of docs/hardware.md, from docs/results
//
// Nothing else in the module depends on it or on a GPU. The programs for the machine
// with the GPU are in measure: run.c executes what pack wrote, latency.cu measures
// instructions.
//
// A directory of pack has a file index with a line for each launch and below it one for
// each argument:
//
//	launch NAME PTX ENTRY GX GY GZ BX BY BZ DYNAMIC_SHARED_BYTES
//	scalar HEX
//	buffer NAME TYPE BYTES BEFORE AFTER INITIAL EXPECTED
//	variable SYMBOL TYPE BYTES INITIAL EXPECTED
//
// where INITIAL and EXPECTED are files of raw bytes, "-" for zeros, and BEFORE and
// AFTER are bytes around the buffer that the kernel may touch.
package main
