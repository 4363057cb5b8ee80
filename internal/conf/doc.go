// Package conf reads the project's TOML files strictly and says where they are
// wrong: unknown keys, missing keys, types and ranges, each with file, line and
// column, all of a file's errors at once.
//
// Parse turns text into a tree of positioned nodes, which callers may merge or
// edit; Bind fills a struct from a tree. A struct field's tags say what the
// file may hold:
//
//	toml:"key"            the key, which must be present
//	toml:"key,omitempty"  the key may be left out
//	range:"1..64"         least and largest value of a number
//	oneof:"lrr,gto"       the strings allowed
//
// JSON writes the same structs with the same keys in the same order. TOML's
// grammar is the go-toml library's; nothing here knows what a key means.
package conf
