package highs

import _ "embed"

//go:generate go run gen.go

// packed is the solver, compressed: 3.5 MB of WebAssembly in 1.2 MB. It is in
// the repository because the tool must find the same solver on every machine,
// offline, without a C++ toolchain.
//
//go:embed highs.wasm.gz
var packed []byte
