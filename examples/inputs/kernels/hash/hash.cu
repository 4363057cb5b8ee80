// Look-ups in a hash table with open addressing: slot after slot until the key, an empty slot or the limit of probes.
#include "warpbound.h"

// The capacity is a power of two; key 0 is an empty slot.
KERNEL probe(const u32 *keys, const u32 *values, const u32 *wanted, u32 *found, int *probes, int capacity, int limit) {
	int q = blockIdx.x * blockDim.x + threadIdx.x;
	u32 key = wanted[q], mask = capacity - 1;
	u32 slot = key * 2654435761u >> 16 & mask, result = 0;
	int n = 0;
#pragma clang loop unroll(disable)
	while (n < limit) {
		u32 there = keys[slot];
		n++;
		if (there == key) {
			result = values[slot];
			break;
		}
		if (there == 0)
			break;
		slot = slot + 1 & mask;
	}
	found[q] = result;
	probes[q] = n;
}
