// Heat in a stack of layers: each thread walks up one column and keeps the three temperatures it needs in registers.
#include "warpbound.h"

KERNEL hotspot3d(const float *power, const float *in, float *out, int nx, int ny, int nz, float ce, float cn, float ct,
                 float cc, float scale) {
	const float ambient = 80.0f;
	int layer = nx * ny;
#pragma clang loop unroll(disable)
	for (int column = threadIdx.x; column < layer; column += blockDim.x) {
		int y = column / nx, x = column - y * nx;
		int c = column;
		int west = x > 0 ? -1 : 0, east = x < nx - 1 ? 1 : 0;
		int north = y > 0 ? -nx : 0, south = y < ny - 1 ? nx : 0;
		float below = in[c], here = below, above = in[nz > 1 ? c + layer : c];
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
}
