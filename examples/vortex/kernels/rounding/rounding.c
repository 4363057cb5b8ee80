// What the five rounding modes make of six operations, and the exceptions each raises. One thread of a warp at a time, since
// the threads of a warp share the flags.
#include "vortex.h"

#define MODES 5
#define OPERATIONS 6

struct args {
	const float *x, *y;
	u32 *results; // cases x modes x operations
	u32 *flags;   // the same: inexact 1, underflow 2, overflow 4, division by zero 8, invalid 16
	u32 n;
};

// Executes one instruction with the rounding mode in frm and stores its result and flags.
#define EXECUTE(k, instruction, type, ...)                                                                             \
	{                                                                                                                  \
		type result;                                                                                                   \
		__asm__ volatile("fsflags x0\n" instruction "\nfrflags %1" : REGISTER_##type(result), "=r"(flags[k])      \
		                 : __VA_ARGS__);                                                                               \
		results[k] = BITS_##type(result);                                                                              \
	}
#define REGISTER_float "=&f"
#define REGISTER_int "=&r"
#define BITS_float bits32
#define BITS_int

void kernel(const struct args *a) {
	vx_if (vx_thread() == 0) {
		u32 warp = vx_core() * vx_warps() + vx_warp(), warps = vx_cores() * vx_warps();
		for (u32 i = warp; i < a->n; i += warps) {
			float x = a->x[i], y = a->y[i];
			for (u32 mode = 0; mode < MODES; mode++) {
				u32 at = (i * MODES + mode) * OPERATIONS;
				u32 *results = a->results + at, *flags = a->flags + at;
				__asm__ volatile("csrw frm, %0" ::"r"(mode));
				EXECUTE(0, "fadd.s %0, %2, %3, dyn", float, "f"(x), "f"(y))
				EXECUTE(1, "fmul.s %0, %2, %3, dyn", float, "f"(x), "f"(y))
				EXECUTE(2, "fdiv.s %0, %2, %3, dyn", float, "f"(x), "f"(y))
				EXECUTE(3, "fsqrt.s %0, %2, dyn", float, "f"(x))
				EXECUTE(4, "fmadd.s %0, %2, %3, %2, dyn", float, "f"(x), "f"(y))
				EXECUTE(5, "fcvt.w.s %0, %2, dyn", int, "f"(x))
			}
		}
	}
	vx_end
}
