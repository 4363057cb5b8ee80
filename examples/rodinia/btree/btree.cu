// Look-ups in a search tree: one block a query, one thread a key of the node at hand.
#include "warpbound.h"

#define ORDER 8

// Node k has ORDER children between ORDER+1 ascending keys; in a leaf the children are the records of the first ORDER
// keys. Which nodes a block visits depends on its query.
KERNEL btree_find(const int *keys, const int *children, const int *queries, int *answers, int height) {
	__shared__ int node;
	int t = threadIdx.x;
	int query = queries[blockIdx.x];
	if (t == 0)
		node = 0;
	syncthreads();
#pragma clang loop unroll(disable)
	for (int level = 1; level < height; level++) {
		int at = node;
		const int *key = &keys[at * (ORDER + 1)];
		bool mine = key[t] <= query && query < key[t + 1];
		syncthreads();
		if (mine)
			node = children[at * ORDER + t];
		syncthreads();
	}
	if (keys[node * (ORDER + 1) + t] == query)
		answers[blockIdx.x] = children[node * ORDER + t];
}

// How many records lie in a range: both ends go down the tree at once.
KERNEL btree_range(const int *keys, const int *children, const int *from, const int *to, int *answers, int height) {
	__shared__ int low, high;
	__shared__ int first, last;
	int t = threadIdx.x;
	int start = from[blockIdx.x], end = to[blockIdx.x];
	if (t == 0) {
		low = 0;
		high = 0;
		first = -1;
		last = -1;
	}
	syncthreads();
#pragma clang loop unroll(disable)
	for (int level = 1; level < height; level++) {
		int at_low = low, at_high = high;
		const int *a = &keys[at_low * (ORDER + 1)], *b = &keys[at_high * (ORDER + 1)];
		bool lower = a[t] <= start && start < a[t + 1];
		bool upper = b[t] <= end && end < b[t + 1];
		syncthreads();
		if (lower)
			low = children[at_low * ORDER + t];
		if (upper)
			high = children[at_high * ORDER + t];
		syncthreads();
	}
	if (keys[low * (ORDER + 1) + t] == start)
		first = children[low * ORDER + t];
	if (keys[high * (ORDER + 1) + t] == end)
		last = children[high * ORDER + t];
	syncthreads();
	if (t == 0 && first >= 0 && last >= 0)
		answers[blockIdx.x] = last - first + 1;
}
