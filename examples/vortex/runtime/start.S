// The start of a program. Thread 0 of warp 0 of every core comes to _start and has the other warps come to vx_all, where each
// warp turns all its threads on and each of these calls kernel(argument block). A program that starts otherwise defines
// _start itself, in section .text.first.

#ifdef VORTEX_FEB2024
#define STACKS 0xff000000
#else
#define STACKS 0xffff0000
#endif

	.section .text.start, "ax", @progbits
	.weak _start
	.type _start, @function
_start:
	csrr t0, 0xfc1                      // warps of a core
	la t1, vx_all
	.insn r 0x0b, 1, 0, x0, t0, t1      // wspawn
	.size _start, . - _start

	.globl vx_all
	.type vx_all, @function
vx_all:
	csrr t0, 0xfc0                      // threads of a warp: -1 >> (32 - t0) is the mask of all
	li t1, 32
	sub t1, t1, t0
	li t2, -1
	srl t2, t2, t1
	.insn r 0x0b, 0, 0, x0, t2, x0      // tmc
	csrr t0, 0xf14                      // hardware thread: 8 KiB of stack each
	slli t0, t0, 13
	li sp, STACKS
	sub sp, sp, t0
#ifdef VORTEX_FEB2024
	li a0, 0x7ffff000
#else
	csrr a0, 0x340
#endif
	call kernel
	.insn r 0x0b, 0, 0, x0, x0, x0      // tmc 0: the warp ends
	.size vx_all, . - vx_all
