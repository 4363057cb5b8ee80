package gpu

// RISCV describes the GPU to RISC-V programs, beyond its size. Programs are
// built for one variant.
type RISCV struct {
	// Variant is the state of Vortex whose memory map the programs use: "v2.2",
	// or "feb2024", that of February 2024. It says where a program finds its
	// argument block, its stacks and its local memory (package internal/simt/rvexec).
	Variant string `toml:"variant" oneof:"v2.2,feb2024"`
	Source  string `toml:"source"`
}
