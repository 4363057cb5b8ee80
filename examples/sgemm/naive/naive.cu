// C = A*B tile by tile through shared memory, as Jeanmougin2025, section 4 describes its naive variant: copy a tile of A
// and one of B, barrier, multiply and accumulate, barrier, next tiles. Nothing hides the latency of the copy.
//
// A block of WIDTH x h threads computes a tile of C of h rows and WIDTH columns; A is rows x k, B is k x columns.
#include "warpbound.h"

#define WIDTH 32
#define DEPTH 32 // columns of a tile of A, rows of a tile of B
#define MOST_ROWS 32

KERNEL sgemm_naive(const float *a, const float *b, float *c, int k, int columns) {
	__shared__ float tile_a[MOST_ROWS][DEPTH];
	__shared__ float tile_b[DEPTH][WIDTH];
	int tx = threadIdx.x, ty = threadIdx.y;
	int height = blockDim.y;
	int row = blockIdx.y * height + ty, column = blockIdx.x * WIDTH + tx;
	float sum = 0.0f;
#pragma clang loop unroll(disable)
	for (int k0 = 0; k0 < k; k0 += DEPTH) {
		tile_a[ty][tx] = a[row * k + k0 + tx];
#pragma clang loop unroll(disable)
		for (int y = ty; y < DEPTH; y += height)
			tile_b[y][tx] = b[(k0 + y) * columns + column];
		syncthreads();
#pragma unroll
		for (int i = 0; i < DEPTH; i++)
			sum = fma32(tile_a[ty][i], tile_b[i][tx], sum);
		syncthreads();
	}
	c[row * columns + column] = sum;
}
