// Rays through a cube of cells: each marches until it hits a full cell, leaves the cube or has gone as far as it may.
#include "warpbound.h"

// A bit of cells is a cell: a word for each row in x.
KERNEL raycast(const u32 *cells, const float *origin, const float *direction, int *hit, int *steps, int rays, int size, int limit) {
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= rays)
		return;
	float x = origin[r], y = origin[rays + r], z = origin[2 * rays + r];
	float dx = direction[r], dy = direction[rays + r], dz = direction[2 * rays + r];
	float most = (float)size;
	int found = -1, n = 0;
#pragma clang loop unroll(disable)
	for (; n < limit; n++) {
		if (x < 0 || x >= most || y < 0 || y >= most || z < 0 || z >= most)
			break;
		int row = (int)z * size + (int)y, bit = (int)x;
		if (cells[row] >> bit & 1) {
			found = row * size + bit;
			break;
		}
		x += dx;
		y += dy;
		z += dz;
	}
	hit[r] = found;
	steps[r] = n;
}
