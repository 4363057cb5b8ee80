// Package load brings together what a launch file names: the kernel, a PTX text
// parsed, checked and lowered or a RISC-V program loaded and lowered, and its
// arguments, as a kernel ready to execute.
//
// [Open] does the work; [Opened] then makes kernels, each with its buffers as they are
// at the start, for whatever front end the kernel's file asks for. It decides nothing
// about time, and errors in a file are reported by the packages that read it: launch,
// ptx, internal/simt/ptxexec, rv, internal/simt/rvexec.
package load
