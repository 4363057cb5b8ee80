// C = A*B with double buffering, as Jeanmougin2025, section 4 describes it: while one pair of tiles is multiplied, the
// next pair is on its way from global memory; two pairs live in shared memory and one barrier an iteration suffices.
//
// The copy is asynchronous in that its loads are issued before the multiplication and their values stored after it. A
// block of WIDTH x HEIGHT threads computes a tile of C of HEIGHT rows; there is a kernel for each height, so that the
// values in flight stay in registers.
#include "warpbound.h"

#define WIDTH 32
#define DEPTH 32 // columns of a tile of A, rows of a tile of B

template <int HEIGHT> INLINE void sgemm(const float *a, const float *b, float *c, int k, int columns) {
	constexpr int SHARE = DEPTH / HEIGHT; // elements of B that a thread copies
	__shared__ float tile_a[2][HEIGHT][DEPTH];
	__shared__ float tile_b[2][DEPTH][WIDTH];
	int tx = threadIdx.x, ty = threadIdx.y;
	int row = blockIdx.y * HEIGHT + ty, column = blockIdx.x * WIDTH + tx;
	const float *next_a = a + row * k + tx;
	const float *next_b = b + ty * columns + column;

	tile_a[0][ty][tx] = *next_a;
#pragma unroll
	for (int s = 0; s < SHARE; s++)
		tile_b[0][ty + s * HEIGHT][tx] = next_b[s * HEIGHT * columns];
	syncthreads();

	float sum = 0.0f;
	int now = 0;
#pragma clang loop unroll(disable)
	for (int k0 = DEPTH; k0 < k; k0 += DEPTH) {
		next_a += DEPTH;
		next_b += DEPTH * columns;
		float in_a = *next_a, in_b[SHARE];
#pragma unroll
		for (int s = 0; s < SHARE; s++)
			in_b[s] = next_b[s * HEIGHT * columns];
#pragma unroll
		for (int i = 0; i < DEPTH; i++)
			sum = fma32(tile_a[now][ty][i], tile_b[now][i][tx], sum);
		now ^= 1;
		tile_a[now][ty][tx] = in_a;
#pragma unroll
		for (int s = 0; s < SHARE; s++)
			tile_b[now][ty + s * HEIGHT][tx] = in_b[s];
		syncthreads();
	}
#pragma unroll
	for (int i = 0; i < DEPTH; i++)
		sum = fma32(tile_a[now][ty][i], tile_b[now][i][tx], sum);
	c[row * columns + column] = sum;
}

KERNEL sgemm_double_32(const float *a, const float *b, float *c, int k, int columns) { sgemm<32>(a, b, c, k, columns); }
KERNEL sgemm_double_16(const float *a, const float *b, float *c, int k, int columns) { sgemm<16>(a, b, c, k, columns); }
KERNEL sgemm_double_8(const float *a, const float *b, float *c, int k, int columns) { sgemm<8>(a, b, c, k, columns); }
KERNEL sgemm_double_4(const float *a, const float *b, float *c, int k, int columns) { sgemm<4>(a, b, c, k, columns); }
