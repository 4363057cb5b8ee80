// What both matrix products share: tiles in shared memory, the copy of a thread's share of them, and their product.
//
// A block of WIDTH x HEIGHT threads computes a tile of C of HEIGHT rows and WIDTH columns. A is rows x k, B is k x columns.
// HEIGHT is known to the compiler, so that a thread's share of a copy stays in registers between its loads and its stores.
#ifndef WARPBOUND_EXAMPLES_TILES_H
#define WARPBOUND_EXAMPLES_TILES_H

#include "warpbound.h"

#define WIDTH 32
#define DEPTH 32 // columns of a tile of A, rows of a tile of B
#define BATCH 8  // operands read ahead of their multiplications, so that the reads' latencies overlap

template <int HEIGHT> struct Tiles {
	float a[HEIGHT][DEPTH];
	float b[DEPTH][WIDTH];
};

// One element of A and DEPTH / HEIGHT of B, on their way from global to shared memory.
template <int HEIGHT> struct Share {
	float a, b[DEPTH / HEIGHT];

	__device__ void store(Tiles<HEIGHT> &tiles) const {
		tiles.a[threadIdx.y][threadIdx.x] = a;
#pragma unroll
		for (int s = 0; s < DEPTH / HEIGHT; s++)
			tiles.b[threadIdx.y + s * HEIGHT][threadIdx.x] = b[s];
	}
};

// Where this thread's element of C lies, and where its next share comes from.
template <int HEIGHT> struct Source {
	int row, column, columns;
	const float *a, *b;

	__device__ Source(const float *a, const float *b, int k, int columns) : columns(columns) {
		row = blockIdx.y * HEIGHT + threadIdx.y;
		column = blockIdx.x * WIDTH + threadIdx.x;
		this->a = a + row * k + threadIdx.x;
		this->b = b + threadIdx.y * columns + column;
	}

	// Issues the loads of the next share and moves on.
	__device__ Share<HEIGHT> load() {
		Share<HEIGHT> share;
		share.a = *a;
#pragma unroll
		for (int s = 0; s < DEPTH / HEIGHT; s++)
			share.b[s] = b[s * HEIGHT * columns];
		a += DEPTH;
		b += DEPTH * columns;
		return share;
	}
};

// sum + this thread's element of the product of a pair of tiles
template <int HEIGHT> INLINE float multiply(const Tiles<HEIGHT> &tiles, float sum) {
#pragma unroll
	for (int i = 0; i < DEPTH; i += BATCH) {
		float x[BATCH], y[BATCH];
#pragma unroll
		for (int j = 0; j < BATCH; j++) {
			x[j] = tiles.a[threadIdx.y][i + j];
			y[j] = tiles.b[i + j][threadIdx.x];
		}
#pragma unroll
		for (int j = 0; j < BATCH; j++)
			sum = fma32(x[j], y[j], sum);
	}
	return sum;
}

#endif
