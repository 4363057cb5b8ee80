// Histogram of 64 bins: counts in shared memory first, then one global addition a bin. The data make the addresses.
#include "warpbound.h"

#define BINS 64

KERNEL histogram(const u32 *values, u32 *bins, int n) {
	__shared__ u32 local[BINS];
	for (int b = threadIdx.x; b < BINS; b += blockDim.x)
		local[b] = 0;
	syncthreads();
#pragma clang loop unroll(disable)
	for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
		__nvvm_atom_add_gen_i((int *)&local[values[i] % BINS], 1);
	syncthreads();
	for (int b = threadIdx.x; b < BINS; b += blockDim.x)
		__nvvm_atom_add_gen_i((int *)&bins[b], (int)local[b]);
}
