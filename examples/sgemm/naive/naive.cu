// C = A*B tile by tile through shared memory, as Jeanmougin2025, section 4 describes its naive variant: copy a tile of A
// and one of B, barrier, multiply and accumulate, barrier, next tiles. Nothing hides the latency of the copy.
#include "../tiles.h"

template <int HEIGHT> INLINE void sgemm(const float *a, const float *b, float *c, int k, int columns) {
	__shared__ Tiles<HEIGHT> tiles;
	Source<HEIGHT> source(a, b, k, columns);
	float sum = 0.0f;
#pragma clang loop unroll(disable)
	for (int k0 = 0; k0 < k; k0 += DEPTH) {
		Share<HEIGHT> share = source.load();
		share.store(tiles);
		syncthreads();
		sum = multiply(tiles, sum);
		syncthreads();
	}
	c[source.row * columns + source.column] = sum;
}

KERNEL sgemm_naive_32(const float *a, const float *b, float *c, int k, int columns) { sgemm<32>(a, b, c, k, columns); }
KERNEL sgemm_naive_16(const float *a, const float *b, float *c, int k, int columns) { sgemm<16>(a, b, c, k, columns); }
KERNEL sgemm_naive_8(const float *a, const float *b, float *c, int k, int columns) { sgemm<8>(a, b, c, k, columns); }
KERNEL sgemm_naive_4(const float *a, const float *b, float *c, int k, int columns) { sgemm<4>(a, b, c, k, columns); }
