// One thread of a core leads: it has the other warps work on one phase, waits for them, and has them work on the next, which
// reads what other warps wrote.
#include "vortex.h"

__asm__(".section .text.first, \"ax\", @progbits\n"
        ".globl _start\n"
        "_start:\n"
        "csrr t0, 0xf14\n"
        "slli t0, t0, 13\n"
        "li sp, 0xffff0000\n"
        "sub sp, sp, t0\n"
        "csrr a0, 0x340\n"
        "call lead\n"
        ".insn r 0x0b, 0, 0, x0, x0, x0\n");

struct args {
	const u32 *in;
	u32 *squares, *sums; // sums[i] = squares[i] + squares[n-1-i]
	u32 *total;          // of sums
	u32 n;
};

static volatile u32 phase[64]; // of each core

void vx_all(void);

// What the threads of all warps but the first one do.
void kernel(const struct args *a) {
	u32 n = a->n, workers = (vx_warps() - 1) * vx_threads(), worker = (vx_warp() - 1) * vx_threads() + vx_thread();
	for (u32 first = 0; first < n; first += workers) {
		u32 i = first + worker;
		vx_if (i < n) {
			if (phase[vx_core()] == 0)
				a->squares[i] = a->in[i] * a->in[i];
			else
				a->sums[i] = a->squares[i] + a->squares[n - 1 - i];
		}
		vx_end
	}
}

void lead(const struct args *a) {
	for (u32 p = 0; p < 2; p++) {
		phase[vx_core()] = p;
		vx_spawn(vx_warps(), vx_all);
		vx_spawn(1, 0); // returns when the others have ended
	}
	u32 total = 0;
	for (u32 i = 0; i < a->n; i++)
		total += a->sums[i];
	*a->total = total;
}
