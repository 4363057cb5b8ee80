// The assignment step of k-means, and the transposition that makes its loads coalesce.
#include "warpbound.h"

// points x features to features x points
KERNEL kmeans_transpose(const float *in, float *out, int points, int features) {
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	if (p >= points)
		return;
#pragma clang loop unroll(disable)
	for (int f = 0; f < features; f++)
		out[points * f + p] = in[features * p + f];
}

// The nearest centre by squared distance; the first one of several.
KERNEL kmeans_assign(const float *features, const float *centres, int *membership, int points, int clusters,
                     int dimensions) {
	int p = blockIdx.x * blockDim.x + threadIdx.x;
	if (p >= points)
		return;
	int nearest = -1;
	float least = 3.0e38f;
#pragma clang loop unroll(disable)
	for (int c = 0; c < clusters; c++) {
		float distance = 0.0f;
#pragma clang loop unroll_count(4)
		for (int d = 0; d < dimensions; d++) {
			float delta = features[p + d * points] - centres[c * dimensions + d];
			distance = fma32(delta, delta, distance);
		}
		if (distance < least) {
			least = distance;
			nearest = c;
		}
	}
	membership[p] = nearest;
}
