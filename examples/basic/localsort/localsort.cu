// Insertion sort of eight values a thread in local memory: how far a value sinks depends on the data.
#include "warpbound.h"

#define COUNT 8

KERNEL localsort(const int *in, int *out) {
	int values[COUNT];
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int threads = gridDim.x * blockDim.x;
#pragma clang loop unroll(disable)
	for (int k = 0; k < COUNT; k++) {
		int v = in[k * threads + i];
		int at = k;
#pragma clang loop unroll(disable)
		while (at > 0 && values[at - 1] > v) {
			values[at] = values[at - 1];
			at--;
		}
		values[at] = v;
	}
#pragma clang loop unroll(disable)
	for (int k = 0; k < COUNT; k++)
		out[k * threads + i] = values[k];
}
