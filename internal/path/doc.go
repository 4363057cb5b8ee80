// Package path records which instructions the warps of a launch execute, in a
// form whose size does not grow with trip counts or with the grid.
//
// [Record] runs every block functionally and folds each warp's instruction
// stream while it is produced: iterations of a loop that execute the same
// symbols become one repetition, equal sequences are stored once, warps with
// equal sequences share a [Warp], blocks with equal warps share a [BlockClass].
// Folding never changes the sequence it stands for; where iterations differ
// they are simply kept.
//
// A symbol is a static instruction together with the number of memory
// transactions it made, because that is what its timing depends on. Barriers of
// the whole block split a warp's stream into sections (docs/soundness/blocks.md, theorem
// 3 (barriers)). There are no cycles here.
package path
