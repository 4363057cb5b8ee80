# Symbols of every sort that assembly code has: which are functions?
	.text
	.globl _start
_start:			# a global label without a type: a function
	li	a0, 3
again:			# a local label: none
	addi	a0, a0, -1
	bnez	a0, again
	call	f
	ecall

	.type	f, @function
	.type	f_local, @function
	.globl f
	.weak	a_weak
	.type	a_weak, @function
a_weak:			# weak, so f goes before it
f_local:		# local, likewise
f:
	nop
	.globl inside
inside:			# a global label within a function: none
	ret
	.size	f, . - f

	.type	g, @function
g:			# a function without a size
	nop
	.globl tail
tail:			# not within g as far as its size says: a function
	ret

	.globl constant
	.set	constant, 0x80000004	# absolute: none
	.data
	.globl	datum
datum:	.word	7
