// Heat in a stack of layers: each thread walks up one column and keeps the three temperatures it needs in registers.
#include "vortex.h"

struct args {
	const float *power, *in;
	float *out;
	int nx, ny, nz;
	float ce, cn, ct, cc, scale;
};

void kernel(const struct args *a) {
	const float ambient = 80.0f;
	int nx = a->nx, ny = a->ny, nz = a->nz, layer = nx * ny;
	const float *in = a->in, *power = a->power;
	float *out = a->out;
	float ce = a->ce, cn = a->cn, ct = a->ct, cc = a->cc, scale = a->scale;
	vx_for_items (column, layer) {
		int y = column / nx, x = column - y * nx;
		int c = column;
		int west = vx_pick(x > 0, -1, 0), east = vx_pick(x < nx - 1, 1, 0);
		int north = vx_pick(y > 0, -nx, 0), south = vx_pick(y < ny - 1, nx, 0);
		float below = in[c], here = below, above = in[vx_pick(nz > 1, c + layer, c)];
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
	vx_end_items
}
