package ptx

// OpInfo is what is known of an opcode: the word up to the first dot.
type OpInfo struct {
	Name     string
	Variants []Variant
}

// Variant is one line of the opcode table: an allowed sequence of modifiers,
// with its operands.
type Variant struct {
	State  State
	Reason string // why it is refused; "" where Executed
}
