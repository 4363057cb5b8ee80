// Sorting by ranking: each thread compares one element with all, equal ones by position, and so knows its place. All threads
// of a warp read the same element at a time, and the comparison is arithmetic: nothing diverges in the loop.
#include "vortex.h"

struct args {
	const float *in;
	float *out;
	u32 n;
};

void kernel(const struct args *a) {
	u32 n = a->n;
	vx_for_items (i, n) {
		const float *other = a->in;
		float mine = other[i];
		u32 rank = 0;
		for (u32 k = 0; k < n; k++, other++)
			rank += (*other < mine) | ((*other == mine) & (k < i));
		a->out[rank] = mine;
	}
	vx_end_items
}
