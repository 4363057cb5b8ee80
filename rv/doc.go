// Package rv reads RISC-V programs for SIMT cores of the Vortex kind: RV32IMF
// with Zicsr, Zicond and fences, plus the six SIMT instructions on the custom-0
// opcode.
package rv
