// Heat on a chip: explicit steps on a grid with a cell for each thread of a core, in local memory, twice, so that a step
// reads one copy and writes the other.
#include "vortex.h"

struct args {
	const float *power, *in;
	float *out;
	int steps, columns, rows;
	float rx, ry, rz, scale;
};

void kernel(const struct args *a) {
	const float ambient = 80.0f;
	int columns = a->columns, rows = a->rows, cells = columns * rows;
	int here = vx_warp() * vx_threads() + vx_thread();
	int y = here / columns, x = here - y * columns;
	float *now = vx_local(), *next = now + cells;
	u32 inside = here < cells;
	float source = 0.0f;
	vx_if (inside) {
		source = a->power[here];
		now[here] = a->in[here];
	}
	vx_end
	// A neighbour beyond the chip's edge is the cell itself.
	int north = vx_pick(y > 0, here - columns, here), south = vx_pick(y < rows - 1, here + columns, here);
	int west = vx_pick(x > 0, here - 1, here), east = vx_pick(x < columns - 1, here + 1, here);
	u32 warps = vx_warps();
	for (int step = a->steps; step > 0; step--) {
		vx_barrier(0, warps);
		vx_if (inside) {
			float t = now[here];
			float vertical = fma32(-2.0f, t, now[south] + now[north]);
			float horizontal = fma32(-2.0f, t, now[east] + now[west]);
			float change = fma32(ambient - t, a->rz, fma32(horizontal, a->rx, fma32(vertical, a->ry, source)));
			next[here] = fma32(a->scale, change, t);
		}
		vx_end
		float *last = now;
		now = next;
		next = last;
	}
	vx_if (inside)
		a->out[here] = now[here];
	vx_end
}
