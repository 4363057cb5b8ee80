// y = a*x + y. Each thread goes its own number of times round: the loop is left thread by thread.
#include "vortex.h"

struct args {
	const float *x;
	float *y;
	u32 n;
	float a;
};

void kernel(const struct args *args) {
	u32 i = vx_hart(), n = args->n, stride = vx_cores() * vx_warps() * vx_threads();
	vx_if (i < n) {
		vx_do {
			args->y[i] = fma32(args->a, args->x[i], args->y[i]);
			i += stride;
		}
		vx_while (i < n)
	}
	vx_end
}
