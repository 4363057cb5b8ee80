// Level-synchronous breadth-first search: one kernel expands the frontier, the other makes the next one.
#include "warpbound.h"

// Every frontier node marks its unvisited neighbours. The trip count of the edge loop is the node's degree.
KERNEL bfs_expand(const int *first, const int *degree, const int *edges, int *frontier, int *next, const int *visited,
                  int *cost, int n) {
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node < n && frontier[node]) {
		frontier[node] = 0;
		int end = first[node] + degree[node];
#pragma clang loop unroll(disable)
		for (int e = first[node]; e < end; e++) {
			int neighbour = edges[e];
			if (!visited[neighbour]) {
				cost[neighbour] = cost[node] + 1;
				next[neighbour] = 1;
			}
		}
	}
}

KERNEL bfs_update(int *frontier, int *next, int *visited, int *again, int n) {
	int node = blockIdx.x * blockDim.x + threadIdx.x;
	if (node < n && next[node]) {
		frontier[node] = 1;
		visited[node] = 1;
		*again = 1;
		next[node] = 0;
	}
}
