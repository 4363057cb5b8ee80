// A level of breadth-first search on a graph in compressed rows: the frontier is a list whose length is in memory.
#include "warpbound.h"

// Who reaches a node first depends on the order of threads; what is written does not.
KERNEL level(const int *first, const int *edges, const int *frontier, const int *length, int *levels, int *next, int depth) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= *length)
		return;
	int node = frontier[i];
	int end = first[node + 1];
#pragma clang loop unroll(disable)
	for (int e = first[node]; e < end; e++) {
		int neighbour = edges[e];
		if (levels[neighbour] < 0) {
			levels[neighbour] = depth;
			next[neighbour] = 1;
		}
	}
}
