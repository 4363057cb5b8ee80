// Heat on a chip: several explicit steps on a tile in shared memory, which shrinks by one cell a side in each step.
#include "warpbound.h"

#define TILE 16

KERNEL hotspot(const float *power, const float *in, float *out, int steps, int columns, int rows, float rx, float ry,
               float rz, float scale) {
	const float ambient = 80.0f;
	__shared__ float temperature[TILE][TILE];
	__shared__ float source[TILE][TILE];
	__shared__ float updated[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int inner = TILE - 2 * steps;
	int x = inner * (int)blockIdx.x - steps + tx;
	int y = inner * (int)blockIdx.y - steps + ty;
	int here = columns * y + x;
	bool inside = x >= 0 && x < columns && y >= 0 && y < rows;
	if (inside) {
		temperature[ty][tx] = in[here];
		source[ty][tx] = power[here];
	}
	syncthreads();

	// A neighbour beyond the chip's edge is the cell itself.
	int north = y > 0 ? ty - 1 : ty;
	int south = y < rows - 1 ? ty + 1 : ty;
	int west = x > 0 ? tx - 1 : tx;
	int east = x < columns - 1 ? tx + 1 : tx;
	bool computed = false;
#pragma clang loop unroll(disable)
	for (int step = 0; step < steps; step++) {
		computed = inside && tx > step && tx < TILE - 1 - step && ty > step && ty < TILE - 1 - step;
		if (computed) {
			float t = temperature[ty][tx];
			float vertical = fma32(-2.0f, t, temperature[south][tx] + temperature[north][tx]);
			float horizontal = fma32(-2.0f, t, temperature[ty][east] + temperature[ty][west]);
			float change = fma32(ambient - t, rz, fma32(horizontal, rx, fma32(vertical, ry, source[ty][tx])));
			updated[ty][tx] = fma32(scale, change, t);
		}
		syncthreads();
		if (step == steps - 1)
			break;
		if (computed)
			temperature[ty][tx] = updated[ty][tx];
		syncthreads();
	}
	if (computed)
		out[here] = updated[ty][tx];
}
