// Heat on a chip: explicit steps on a grid with a cell for each thread, in shared memory, twice, so that a step reads one
// copy and writes the other.
#include "warpbound.h"

KERNEL hotspot(const float *power, const float *in, float *out, int steps, int columns, int rows, float rx, float ry,
               float rz, float scale) {
	const float ambient = 80.0f;
	__shared__ float temperature[2][1024];
	int cells = columns * rows;
	int here = threadIdx.x;
	int y = here / columns, x = here - y * columns;
	bool inside = here < cells;
	float source = 0.0f;
	if (inside) {
		source = power[here];
		temperature[0][here] = in[here];
	}
	// A neighbour beyond the chip's edge is the cell itself.
	int north = y > 0 ? here - columns : here, south = y < rows - 1 ? here + columns : here;
	int west = x > 0 ? here - 1 : here, east = x < columns - 1 ? here + 1 : here;
	float *now = temperature[0], *next = temperature[1];
#pragma clang loop unroll(disable)
	for (int step = steps; step > 0; step--) {
		syncthreads();
		if (inside) {
			float t = now[here];
			float vertical = fma32(-2.0f, t, now[south] + now[north]);
			float horizontal = fma32(-2.0f, t, now[east] + now[west]);
			float change = fma32(ambient - t, rz, fma32(horizontal, rx, fma32(vertical, ry, source)));
			next[here] = fma32(scale, change, t);
		}
		float *last = now;
		now = next;
		next = last;
	}
	if (inside)
		out[here] = now[here];
}
