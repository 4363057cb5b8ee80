// Binary search: the first place in a sorted array whose element is not below the key.
#include "warpbound.h"

KERNEL lower_bound(const int *sorted, const int *keys, int *place, int n, int queries) {
	int q = blockIdx.x * blockDim.x + threadIdx.x;
	if (q >= queries)
		return;
	int key = keys[q];
	int low = 0, high = n;
#pragma clang loop unroll(disable)
	while (low < high) {
		int middle = (low + high) / 2;
		if (sorted[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	place[q] = low;
}
