// Branches that the input decides: a loop whose length it gives, an integer division, and a switch on the lane.
#include "warpbound.h"

KERNEL branches(const u32 *in, u32 *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	u32 v = in[i];
	u32 r = 0;
	if (v & 1) {
#pragma clang loop unroll(disable)
		for (u32 k = 0; k < (v & 31); k++)
			r = r * 3 + k;
	} else if (v & 2) {
		r = v * v + 7;
	} else {
		r = v / ((v >> 4) + 1);
	}
	switch (threadIdx.x & 3) {
	case 0:
		r += 1;
		break;
	case 1:
		r ^= 0x55;
		break;
	case 2:
		r *= 5;
		break;
	default:
		r -= 9;
	}
	out[i] = r;
}
