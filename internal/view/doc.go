// Package view serves a page on this machine that shows launches and results: their code
// with the cost of each line, the path that takes long, what warps do over time, what
// changes with the GPU, makespans and the phases of PREM.
//
// Everything shown comes from the library's reports, in their JSON form (docs/json.md), or
// from the files that were named. The server listens on the loopback interface only, answers
// nobody without the token of its URL, reads no file outside of what was named, and writes
// none. The page's sources are in page, its bundle, which a test holds to them, in assets.
package view
