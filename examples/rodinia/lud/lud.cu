// Blocked LU decomposition in place, without pivoting: the diagonal tile, the tiles right of and below it, the rest.
#include "warpbound.h"

#define TILE 16

// One block of TILE threads: half a warp works, and fewer lanes with every step.
KERNEL lud_diagonal(float *m, int n, int offset) {
	__shared__ float tile[TILE][TILE];
	int tx = threadIdx.x;
	float *origin = m + offset * n + offset;
	for (int i = 0; i < TILE; i++)
		tile[i][tx] = origin[i * n + tx];
	syncthreads();
#pragma clang loop unroll(disable)
	for (int i = 0; i < TILE - 1; i++) {
		if (tx > i) {
#pragma clang loop unroll(disable)
			for (int j = 0; j < i; j++)
				tile[tx][i] = fma32(-tile[tx][j], tile[j][i], tile[tx][i]);
			tile[tx][i] = tile[tx][i] / tile[i][i];
		}
		syncthreads();
		if (tx > i) {
#pragma clang loop unroll(disable)
			for (int j = 0; j <= i; j++)
				tile[i + 1][tx] = fma32(-tile[i + 1][j], tile[j][tx], tile[i + 1][tx]);
		}
		syncthreads();
	}
	for (int i = 1; i < TILE; i++)
		origin[i * n + tx] = tile[i][tx];
}

// Block b handles the tile b+1 steps right of the diagonal tile (first TILE threads) and the one below (the others).
KERNEL lud_perimeter(float *m, int n, int offset) {
	__shared__ float diagonal[TILE][TILE];
	__shared__ float row[TILE][TILE];
	__shared__ float column[TILE][TILE];
	int t = threadIdx.x % TILE;
	bool upper = threadIdx.x < TILE;
	int far = offset + (blockIdx.x + 1) * TILE;
	float *right = m + offset * n + far;
	float *below = m + far * n + offset;

	if (upper) {
		for (int i = 0; i < TILE; i++)
			row[i][t] = right[i * n + t];
		for (int i = 0; i < TILE / 2; i++)
			diagonal[i][t] = m[(offset + i) * n + offset + t];
	} else {
		for (int i = 0; i < TILE; i++)
			column[i][t] = below[i * n + t];
		for (int i = TILE / 2; i < TILE; i++)
			diagonal[i][t] = m[(offset + i) * n + offset + t];
	}
	syncthreads();
	if (upper) {
#pragma clang loop unroll(disable)
		for (int i = 1; i < TILE; i++)
#pragma clang loop unroll(disable)
			for (int j = 0; j < i; j++)
				row[i][t] = fma32(-diagonal[i][j], row[j][t], row[i][t]);
	} else {
#pragma clang loop unroll(disable)
		for (int i = 0; i < TILE; i++) {
#pragma clang loop unroll(disable)
			for (int j = 0; j < i; j++)
				column[t][i] = fma32(-column[t][j], diagonal[j][i], column[t][i]);
			column[t][i] = column[t][i] / diagonal[i][i];
		}
	}
	syncthreads();
	if (upper) {
		for (int i = 1; i < TILE; i++)
			right[i * n + t] = row[i][t];
	} else {
		for (int i = 0; i < TILE; i++)
			below[i * n + t] = column[i][t];
	}
}

// Every remaining tile loses the product of its perimeter tiles.
KERNEL lud_internal(float *m, int n, int offset) {
	__shared__ float row[TILE][TILE];
	__shared__ float column[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = offset + (blockIdx.x + 1) * TILE;
	int y = offset + (blockIdx.y + 1) * TILE;
	row[ty][tx] = m[(offset + ty) * n + x + tx];
	column[ty][tx] = m[(y + ty) * n + offset + tx];
	syncthreads();
	float sum = 0.0f;
#pragma unroll
	for (int i = 0; i < TILE; i++)
		sum = fma32(column[ty][i], row[i][tx], sum);
	m[(y + ty) * n + x + tx] -= sum;
}
