// What opening a candidate centre would gain: every point compares its cost with the distance to the candidate.
#include "warpbound.h"

extern __shared__ float candidate[];

// coordinates is dimensions x points. Which side of the branch a point takes depends on coordinates and costs.
KERNEL streamcluster(const float *coordinates, const float *weight, const float *cost, const int *assigned,
                     const int *centre_table, float *lower, float *gain, int *switches, int points, int dimensions,
                     int centres, int candidate_point) {
	int t = threadIdx.x;
	int i = blockIdx.x * blockDim.x + t;
	for (int d = t; d < dimensions; d += blockDim.x)
		candidate[d] = coordinates[d * points + candidate_point];
	syncthreads();
	if (i >= points)
		return;
	float distance = 0.0f;
#pragma clang loop unroll(disable)
	for (int d = 0; d < dimensions; d++) {
		float delta = coordinates[d * points + i] - candidate[d];
		distance = fma32(delta, delta, distance);
	}
	float candidate_cost = distance * weight[i];
	if (candidate_cost < cost[i]) {
		switches[i] = 1;
		gain[i] = candidate_cost - cost[i];
	} else {
		float *mine = &lower[i * centres + centre_table[assigned[i]]];
		*mine = *mine + (cost[i] - candidate_cost);
	}
}
