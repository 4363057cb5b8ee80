// Package l1d is the kernel analyser and the miss-rate estimator of
// Huangfu2017: which global accesses the warps of a launch make, in which order
// a reordering unit lets them pass to the L1 data cache of their SM, and which of
// them hit.
//
// It executes the kernel, or one block of each class of blocks that share a path
// and replays the accesses of the others (docs/soundness/paths.md, theorem 27 (classes
// of blocks); Analysis.Replayed says which). It measures no time and knows no latencies;
// the tags of caches are the business of internal/cache, and the simulated unit with its
// channels that of sim.
//
//	Analyse      refuses kernels whose accesses depend on unknown data (Section III-F.1)
//	Order        the enforced order of a launch's accesses, SM by SM (Section III-E)
//	Estimate     hits and misses of the ordered accesses (Section III-F)
//	WriteListing the analyser's listing (Section III-D, Algorithms 1-3)
//	Residency    which blocks are resident together when blocks are admitted in batches
package l1d
