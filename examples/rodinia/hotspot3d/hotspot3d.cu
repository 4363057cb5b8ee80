// Heat in a stack of layers: each thread walks up one column and keeps the three temperatures it needs in registers.
#include "warpbound.h"

KERNEL hotspot3d(const float *power, const float *in, float *out, int nx, int ny, int nz, float ce, float cn, float ct,
                 float cc, float scale) {
	const float ambient = 80.0f;
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	int j = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= nx || j >= ny)
		return;
	int c = i + j * nx;
	int layer = nx * ny;
	int west = i == 0 ? 0 : -1, east = i == nx - 1 ? 0 : 1;
	int north = j == 0 ? 0 : -nx, south = j == ny - 1 ? 0 : nx;
	float below = in[c], here = in[c], above = in[c + layer];
#pragma clang loop unroll(disable)
	for (int k = 0; k < nz; k++) {
		float sum = fma32(cc, here, fma32(scale, power[c], ct * ambient));
		sum = fma32(ce, in[c + west] + in[c + east], sum);
		sum = fma32(cn, in[c + north] + in[c + south], sum);
		out[c] = fma32(ct, below + above, sum);
		c += layer;
		below = here;
		here = above;
		if (k < nz - 2)
			above = in[c + layer];
	}
}
