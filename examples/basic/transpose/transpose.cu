// Matrix transposition through a tile in shared memory: without a spare column every column read falls on one bank.
#include "warpbound.h"

#define TILE 32
#define ROWS 8 // of threads; each moves TILE / ROWS elements

template <int PITCH> INLINE void transpose(const float *in, float *out, int columns, int rows) {
	__shared__ float tile[TILE][PITCH];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
#pragma unroll
	for (int k = 0; k < TILE; k += ROWS)
		tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * columns + x];
	syncthreads();
	x = blockIdx.y * TILE + threadIdx.x;
	y = blockIdx.x * TILE + threadIdx.y;
#pragma unroll
	for (int k = 0; k < TILE; k += ROWS)
		out[(y + k) * rows + x] = tile[threadIdx.x][threadIdx.y + k];
}

KERNEL transpose_conflicts(const float *in, float *out, int columns, int rows) {
	transpose<TILE>(in, out, columns, rows);
}

KERNEL transpose_padded(const float *in, float *out, int columns, int rows) {
	transpose<TILE + 1>(in, out, columns, rows);
}
