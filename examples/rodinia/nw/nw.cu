// Needleman-Wunsch alignment: tiles along an anti-diagonal are independent, and so are the cells along one within a tile.
#include "warpbound.h"

#define TILE 16

// Fills tile (bx, by) of the score matrix: columns wide, with one border row and column before the first tile.
INLINE void fill(const int *similarity, int *score, int columns, int penalty, int bx, int by) {
	__shared__ int cell[TILE + 1][TILE + 1];
	__shared__ int match[TILE][TILE];
	int t = threadIdx.x;
	int corner = columns * TILE * by + TILE * bx;

	if (t == 0)
		cell[0][0] = score[corner];
	for (int y = 0; y < TILE; y++)
		match[y][t] = similarity[corner + columns * (y + 1) + t + 1];
	cell[t + 1][0] = score[corner + columns * (t + 1)];
	cell[0][t + 1] = score[corner + t + 1];
	syncthreads();
#pragma clang loop unroll(disable)
	for (int d = 0; d < TILE; d++) {
		if (t <= d) {
			int x = t + 1, y = d - t + 1;
			cell[y][x] = max(cell[y - 1][x - 1] + match[y - 1][x - 1],
			                 max(cell[y][x - 1] - penalty, cell[y - 1][x] - penalty));
		}
		syncthreads();
	}
#pragma clang loop unroll(disable)
	for (int d = TILE - 2; d >= 0; d--) {
		if (t <= d) {
			int x = t + TILE - d, y = TILE - t;
			cell[y][x] = max(cell[y - 1][x - 1] + match[y - 1][x - 1],
			                 max(cell[y][x - 1] - penalty, cell[y - 1][x] - penalty));
		}
		syncthreads();
	}
	for (int y = 0; y < TILE; y++)
		score[corner + columns * (y + 1) + t + 1] = cell[y + 1][t + 1];
}

// The diagonal-th anti-diagonal of the upper left half; as many blocks as it has tiles.
KERNEL needle_upper(const int *similarity, int *score, int columns, int penalty, int diagonal) {
	int bx = blockIdx.x;
	fill(similarity, score, columns, penalty, bx, diagonal - 1 - bx);
}

// The lower right half, counted from the last tile back.
KERNEL needle_lower(const int *similarity, int *score, int columns, int penalty, int diagonal, int tiles) {
	int bx = blockIdx.x + tiles - diagonal;
	fill(similarity, score, columns, penalty, bx, tiles - 1 - (int)blockIdx.x);
}
