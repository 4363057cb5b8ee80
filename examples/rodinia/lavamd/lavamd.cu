// Forces between the particles of a box and those of its neighbour boxes; one block a box, neighbours staged in shared
// memory. The number of neighbours and their numbers come from memory.
#include "warpbound.h"

#define PARTICLES 40 // of a box: no multiple of a warp, so each block's last warp is partly idle
#define THREADS 64
#define NEIGHBOURS 27

struct Particle {
	float v, x, y, z;
};

KERNEL lavamd(const int *neighbour_count, const int *neighbours, const Particle *position, const float *charge,
              Particle *force, float alpha) {
	__shared__ Particle own[PARTICLES];
	__shared__ Particle other[PARTICLES];
	__shared__ float other_charge[PARTICLES];
	int box = blockIdx.x;
	int t = threadIdx.x;
	float a2 = 2.0f * alpha * alpha;

	for (int p = t; p < PARTICLES; p += THREADS)
		own[p] = position[box * PARTICLES + p];
	syncthreads();

	int count = neighbour_count[box];
#pragma clang loop unroll(disable)
	for (int k = 0; k < count; k++) {
		int from = neighbours[box * NEIGHBOURS + k] * PARTICLES;
		for (int p = t; p < PARTICLES; p += THREADS) {
			other[p] = position[from + p];
			other_charge[p] = charge[from + p];
		}
		syncthreads();
		for (int p = t; p < PARTICLES; p += THREADS) {
			Particle mine = own[p];
			Particle f = force[box * PARTICLES + p];
#pragma clang loop unroll(disable)
			for (int j = 0; j < PARTICLES; j++) {
				Particle theirs = other[j];
				float dot = fma32(mine.z, theirs.z, fma32(mine.y, theirs.y, mine.x * theirs.x));
				float u2 = a2 * (mine.v + theirs.v - dot);
				float vij = exp_approx(-u2);
				float fs = 2.0f * vij;
				f.v = fma32(other_charge[j], vij, f.v);
				f.x = fma32(other_charge[j], fs * (mine.x - theirs.x), f.x);
				f.y = fma32(other_charge[j], fs * (mine.y - theirs.y), f.y);
				f.z = fma32(other_charge[j], fs * (mine.z - theirs.z), f.z);
			}
			force[box * PARTICLES + p] = f;
		}
		syncthreads();
	}
}
