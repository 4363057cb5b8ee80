// C = A*B with double buffering, as Jeanmougin2025, section 4 describes it: while one pair of tiles is multiplied, the
// next pair is on its way from global memory; two pairs live in shared memory and one barrier an iteration suffices.
//
// The copy is asynchronous in that its loads are issued before the multiplication and their values stored after it.
#include "../tiles.h"

template <int HEIGHT> INLINE void sgemm(const float *a, const float *b, float *c, int k, int columns) {
	__shared__ Tiles<HEIGHT> tiles[2];
	Source<HEIGHT> source(a, b, k, columns);
	Share<HEIGHT> first = source.load();
	first.store(tiles[0]);
	syncthreads();

	float sum = 0.0f;
	int now = 0;
#pragma clang loop unroll(disable)
	for (int k0 = DEPTH; k0 < k; k0 += DEPTH) {
		Share<HEIGHT> next = source.load();
		sum = multiply(tiles[now], sum);
		now ^= 1;
		next.store(tiles[now]);
		syncthreads();
	}
	sum = multiply(tiles[now], sum);
	c[source.row * columns + source.column] = sum;
}

KERNEL sgemm_double_32(const float *a, const float *b, float *c, int k, int columns) { sgemm<32>(a, b, c, k, columns); }
KERNEL sgemm_double_16(const float *a, const float *b, float *c, int k, int columns) { sgemm<16>(a, b, c, k, columns); }
KERNEL sgemm_double_8(const float *a, const float *b, float *c, int k, int columns) { sgemm<8>(a, b, c, k, columns); }
KERNEL sgemm_double_4(const float *a, const float *b, float *c, int k, int columns) { sgemm<4>(a, b, c, k, columns); }
