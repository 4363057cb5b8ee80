// Package ptx reads and writes PTX, the virtual assembly language of NVIDIA
// GPUs: lexer, parser, printer and checker, and the table of its opcodes.
//
// Parse turns the text of a module into a File. It accepts the complete syntax
// of PTX ISA 1.3 to 9.x, whatever the opcode, in time linear in the text:
// what an instruction means, and whether anything here can execute it, is a
// question put to the opcode table afterwards (Lookup, Inst.Form). Print
// writes a File back; parsing what it wrote gives an equal File, positions
// aside. Check finds what the grammar cannot: names that are not declared or
// declared twice, wrong operand counts, unknown modifiers, types and widths
// that do not fit.
//
// Errors are an ErrorList, at most MaxErrors a file, each with file, line,
// column, what was found and what was expected; parsing resumes at the next
// statement.
//
// The main types:
//
//	File      a module: version, targets, declarations
//	Func      an .entry or .func, with parameters, directives and Body
//	Stmt      one of *Inst, *Call, *Label, *Block, *VarDecl, *Loc, ...
//	Inst      guard, opcode, modifiers, operands
//	Operand   register, literal, address, vector, pair, ... in one struct
//	OpInfo    what the opcode table knows of an opcode
//	Form      an instruction's modifiers resolved into typed fields
//
// The package holds no semantics of execution and no timing.
//
// Source: NVIDIA, "Parallel Thread Execution ISA", versions 1.4 to 9.x.
package ptx
