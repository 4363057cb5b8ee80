// Package memory is what lies behind the L1 data caches of a simulated GPU: the network,
// the slices of the L2 and the DRAM with its channels, banks, rows and refreshes, which
// all SMs share, and CPU cores too where there are some.
//
//	System    takes requests of SMs (Send) and lets time pass (Advance)
//	Cores     what sends to the DRAM by itself
//	Observer  sees every transfer
//	Use       what was done for whom
//
// What hits depends on the order in which requests reach the tags and on nothing else.
// The L1D itself, with its MSHRs, is part of an SM.
package memory
