// Knuth, Morris and Pratt's search of a pattern: every thread counts the occurrences in a piece of the text of its own.
#include "warpbound.h"

// An iteration either goes on in the text or falls back in the pattern, which it can as often as it went on.
KERNEL kmp(const int *text, const int *pattern, const int *fallback, int *hits, int piece, int length) {
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	const int *mine = text + t * piece;
	int i = 0, j = 0, n = 0;
#pragma clang loop unroll(disable)
	while (i < piece) {
		if (mine[i] == pattern[j]) {
			i++;
			j++;
			if (j == length) {
				n++;
				j = fallback[j - 1];
			}
		} else if (j > 0) {
			j = fallback[j - 1];
		} else {
			i++;
		}
	}
	hits[t] = n;
}
