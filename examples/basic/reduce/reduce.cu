// Block-wise sum: a grid-stride loop, then a tree in shared memory with a barrier a level.
#include "warpbound.h"

#define THREADS 256

KERNEL reduce(const u32 *in, u32 *out, int n) {
	__shared__ u32 partial[THREADS];
	int t = threadIdx.x;
	u32 sum = 0;
#pragma clang loop unroll(disable)
	for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x)
		sum += in[i];
	partial[t] = sum;
	syncthreads();
#pragma clang loop unroll(disable)
	for (int half = blockDim.x / 2; half > 0; half >>= 1) {
		if (t < half)
			partial[t] += partial[t + half];
		syncthreads();
	}
	if (t == 0)
		out[blockIdx.x] = partial[0];
}
