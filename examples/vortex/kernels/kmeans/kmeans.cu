// The assignment step of k-means: the nearest centre of each point by squared distance, the first one of several.
#include "warpbound.h"

// features is features x points, centres clusters x features.
KERNEL kmeans(const float *features, const float *centres, int *membership, int points, int clusters, int dimensions) {
#pragma clang loop unroll(disable)
	for (int p = threadIdx.x; p < points; p += blockDim.x) {
		const float *centre = centres;
		int nearest = -1;
		float least = 3.0e38f;
#pragma clang loop unroll(disable)
		for (int c = 0; c < clusters; c++) {
			const float *feature = features + p;
			float distance = 0.0f;
#pragma clang loop unroll(disable)
			for (int d = 0; d < dimensions; d++) {
				float delta = *feature - *centre;
				distance = fma32(delta, delta, distance);
				feature += points;
				centre++;
			}
			if (distance < least) {
				least = distance;
				nearest = c;
			}
		}
		membership[p] = nearest;
	}
}
