// One level of the reversible 5/3 wavelet transform by lifting: rows, then columns. A block transforms one line of at most
// 2*PAIRS samples in shared memory; low-pass samples go to the first half of the line, high-pass ones to the second.
#include "warpbound.h"

#define PAIRS 64

INLINE void lift(const int *in, int *out, int pairs, int stride) {
	__shared__ int even[PAIRS + 1];
	__shared__ int detail[PAIRS + 1];
	int t = threadIdx.x;
	int odd = 0;
	if (t < pairs) {
		even[t] = in[2 * t * stride];
		odd = in[(2 * t + 1) * stride];
		// The line is mirrored at its ends.
		if (t == pairs - 1)
			even[pairs] = even[t];
	}
	syncthreads();
	if (t < pairs) {
		int d = odd - ((even[t] + even[t + 1]) >> 1);
		detail[t + 1] = d;
		if (t == 0)
			detail[0] = d;
	}
	syncthreads();
	if (t < pairs) {
		out[t * stride] = even[t] + ((detail[t] + detail[t + 1] + 2) >> 2);
		out[(pairs + t) * stride] = detail[t + 1];
	}
}

KERNEL dwt_rows(const int *in, int *out, int columns) {
	int row = blockIdx.x * columns;
	lift(in + row, out + row, columns / 2, 1);
}

KERNEL dwt_columns(const int *in, int *out, int columns, int rows) {
	lift(in + blockIdx.x, out + blockIdx.x, rows / 2, columns);
}
