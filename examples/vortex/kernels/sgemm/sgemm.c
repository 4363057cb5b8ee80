// C = A*B, a row a warp and a column a thread: A is rows x k, B k x columns.
#include "vortex.h"

struct args {
	const float *a, *b;
	float *c;
	u32 rows, k, columns;
};

void kernel(const struct args *args) {
	u32 k = args->k, columns = args->columns;
	u32 row = vx_warp(), column = vx_thread();
	vx_if ((row < args->rows) & (column < columns)) {
		const float *a = args->a + row * k, *b = args->b + column;
		float sum = 0.0f;
		for (u32 j = k; j > 0; j--) {
			sum = fma32(*a, *b, sum);
			a++;
			b += columns;
		}
		args->c[row * columns + column] = sum;
	}
	vx_end
}
