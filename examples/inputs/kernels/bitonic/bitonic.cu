// A bitonic sorting network in shared memory: which comparisons are made is fixed, which of them exchange is not.
#include "warpbound.h"

#define ELEMENTS 128

KERNEL bitonic(int *values) {
	__shared__ int s[ELEMENTS];
	int t = threadIdx.x, base = blockIdx.x * ELEMENTS;
	s[t] = values[base + t];
	s[t + ELEMENTS / 2] = values[base + t + ELEMENTS / 2];
#pragma clang loop unroll(disable)
	for (int size = 2; size <= ELEMENTS; size *= 2) {
#pragma clang loop unroll(disable)
		for (int stride = size / 2; stride > 0; stride /= 2) {
			syncthreads();
			int low = 2 * t - (t & (stride - 1)), high = low + stride;
			bool up = (low & size) == 0;
			int a = s[low], b = s[high];
			if ((a > b) == up) {
				s[low] = b;
				s[high] = a;
			}
		}
	}
	syncthreads();
	values[base + t] = s[t];
	values[base + t + ELEMENTS / 2] = s[t + ELEMENTS / 2];
}
