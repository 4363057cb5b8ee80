// The assignment step of k-means: the nearest centre of each point by squared distance, the first one of several. Whether a
// centre is nearer than those before it differs from thread to thread.
#include "vortex.h"

struct args {
	const float *features, *centres; // features x points; clusters x features
	int *membership;
	int points, clusters, dimensions;
};

void kernel(const struct args *a) {
	int points = a->points, clusters = a->clusters, dimensions = a->dimensions;
	vx_for_items (p, points) {
		const float *centre = a->centres;
		int nearest = -1;
		float least = 3.0e38f;
		for (int c = 0; c < clusters; c++) {
			const float *feature = a->features + p;
			float distance = 0.0f;
			for (int d = 0; d < dimensions; d++) {
				float delta = *feature - *centre;
				distance = fma32(delta, delta, distance);
				feature += points;
				centre++;
			}
			vx_if (distance < least) {
				least = distance;
				nearest = c;
			}
			vx_end
		}
		a->membership[p] = nearest;
	}
	vx_end_items
}
