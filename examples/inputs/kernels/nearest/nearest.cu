// Nearest neighbour over a sparse grid of cells: the points are sorted by cell, and start says where those of a cell begin.
#include "warpbound.h"

// A cell has side 1. The nine cells around a query are searched; how many points each holds is in memory alone.
KERNEL nearest(const float *x, const float *y, const int *start, const float *query_x, const float *query_y, int *found,
               float *distance, int side, int queries) {
	int q = blockIdx.x * blockDim.x + threadIdx.x;
	if (q >= queries)
		return;
	float px = query_x[q], py = query_y[q];
	int cx = (int)px, cy = (int)py;
	float least = 3e38f;
	int best = -1;
#pragma clang loop unroll(disable)
	for (int dy = -1; dy <= 1; dy++) {
#pragma clang loop unroll(disable)
		for (int dx = -1; dx <= 1; dx++) {
			int ux = cx + dx, uy = cy + dy;
			if (ux < 0 || ux >= side || uy < 0 || uy >= side)
				continue;
			int cell = uy * side + ux;
			int end = start[cell + 1];
#pragma clang loop unroll(disable)
			for (int i = start[cell]; i < end; i++) {
				float ex = x[i] - px, ey = y[i] - py;
				float d = fma32(ex, ex, ey * ey);
				if (d < least) {
					least = d;
					best = i;
				}
			}
		}
	}
	found[q] = best;
	distance[q] = least;
}
