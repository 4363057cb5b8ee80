// Distance of every record to one place; the nearest are picked on the host.
#include "warpbound.h"

struct Place {
	float latitude, longitude;
};

KERNEL nn(const Place *places, float *distances, int n, float latitude, float longitude) {
	int i = blockDim.x * (gridDim.x * blockIdx.y + blockIdx.x) + threadIdx.x;
	if (i < n) {
		float dy = latitude - places[i].latitude, dx = longitude - places[i].longitude;
		distances[i] = sqrt32(fma32(dx, dx, dy * dy));
	}
}
