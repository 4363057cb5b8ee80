// Package static says what accesses to an L1 data cache hit or miss whatever the
// order in which the warps of an SM are served: no reordering unit, any scheduler.
//
// A system is a cache, its state at the start and the accesses of the warps, each
// warp's in program order. A run is any interleaving of a prefix of the accesses
// of any of the warps, or, where hardware keeps no order in a warp (NoOrder), any
// sequence of any of the accesses; so warps may start late, blocks may come and go in
// any dispatch, and warps that run on another SM may be listed. The accesses are
// never kept:
//
//   - Lines notes who accesses which line and sector, in any order of the calls;
//   - Analysis prepares a cache for the lines; several caches can share them;
//   - Walk goes along the accesses of a warp again, in program order, and gives each
//     a Class that holds in every run.
//
// The classes:
//
//   - AlwaysHit: the sector was brought in by the warp itself, and neither what the
//     warp has used since nor all that the others can use throws the line out;
//   - AlwaysMiss: nobody can have brought the sector in, or the warp itself has
//     thrown it out since;
//   - Persistent: of all accesses of all warps that bring this sector in, at most
//     one misses, because the set holds every line that can ever be in it;
//   - Unclassified: nothing is claimed.
//
// What keeps a line in a set depends on the replacement policy (limits). Stores
// that evict remove a line at any time, if another warp makes them. Beyond a limit
// of distinct lines the others are left out: every set then counts as crowded, and
// of accesses to lines left out nothing is claimed.
//
// A hit is a hit of the tags: a line still on its way counts as one
// (hit-reserved), and takes as long as the rest of that way. The proofs are in
// docs/soundness/caches.md, section "Hits and misses in any order". Huangfu2017 gives no
// such analysis: it makes the order known instead.
//
// Not here: kernels, time, barriers (they only remove interleavings), sharing of
// lines that one warp brings in for another.
package static
