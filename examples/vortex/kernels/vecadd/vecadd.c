// c = a + b for any n: in the last round some threads have nothing left.
#include "vortex.h"

struct args {
	const float *a, *b;
	float *c;
	u32 n;
};

void kernel(const struct args *a) {
	vx_for_items (i, a->n)
		a->c[i] = a->a[i] + a->b[i];
	vx_end_items
}
