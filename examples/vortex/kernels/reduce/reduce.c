// Sums of integers, one for each core: every thread adds up its share, then a tree in local memory, a barrier a level. The
// number of threads of a core is a power of two.
#include "vortex.h"

struct args {
	const u32 *in;
	u32 *out; // a sum a core
	u32 n;
};

void kernel(const struct args *a) {
	u32 sum = 0;
	vx_for_items (i, a->n)
		sum += a->in[i];
	vx_end_items

	u32 *shared = vx_local();
	u32 warps = vx_warps(), id = vx_warp() * vx_threads() + vx_thread();
	shared[id] = sum;
	vx_barrier(0, warps);
	for (u32 half = warps * vx_threads() / 2; half > 0; half /= 2) {
		vx_if (id < half)
			shared[id] += shared[id + half];
		vx_end
		vx_barrier(0, warps);
	}
	vx_if (id == 0)
		a->out[vx_core()] = shared[0];
	vx_end
}
