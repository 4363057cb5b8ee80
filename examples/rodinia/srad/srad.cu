// Speckle-reducing anisotropic diffusion of an image: the diffusion coefficient, then the update.
#include "warpbound.h"

#define TILE 16

// Directional derivatives and the coefficient of every pixel. A tile's inner neighbours are read from shared memory, those
// across its edge from the image; beyond the image's edge the pixel itself stands in.
KERNEL srad1(const float *image, float *dn, float *ds, float *dw, float *de, float *coefficient, int columns, int rows,
             float q0sqr) {
	__shared__ float tile[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
	int at = y * columns + x;
	float here = image[at];
	tile[ty][tx] = here;
	syncthreads();

	float n = ty > 0 ? tile[ty - 1][tx] : y > 0 ? image[at - columns] : here;
	float s = ty < TILE - 1 ? tile[ty + 1][tx] : y < rows - 1 ? image[at + columns] : here;
	float w = tx > 0 ? tile[ty][tx - 1] : x > 0 ? image[at - 1] : here;
	float e = tx < TILE - 1 ? tile[ty][tx + 1] : x < columns - 1 ? image[at + 1] : here;
	n -= here;
	s -= here;
	w -= here;
	e -= here;

	float g2 = fma32(e, e, fma32(w, w, fma32(s, s, n * n))) / (here * here);
	float l = (n + s + w + e) / here;
	float num = fma32(0.5f, g2, -(0.0625f * (l * l)));
	float den = fma32(0.25f, l, 1.0f);
	float qsqr = num / (den * den);
	den = (qsqr - q0sqr) / (q0sqr * (1.0f + q0sqr));
	float c = min32(max32(1.0f / (1.0f + den), 0.0f), 1.0f);

	dn[at] = n;
	ds[at] = s;
	dw[at] = w;
	de[at] = e;
	coefficient[at] = c;
}

// image += lambda/4 * divergence, with the southern and eastern coefficients of the neighbours.
KERNEL srad2(const float *dn, const float *ds, const float *dw, const float *de, const float *coefficient, float *image,
             int columns, int rows, float lambda) {
	__shared__ float tile[TILE][TILE];
	int tx = threadIdx.x, ty = threadIdx.y;
	int x = blockIdx.x * TILE + tx, y = blockIdx.y * TILE + ty;
	int at = y * columns + x;
	float here = coefficient[at];
	tile[ty][tx] = here;
	syncthreads();
	float s = ty < TILE - 1 ? tile[ty + 1][tx] : y < rows - 1 ? coefficient[at + columns] : here;
	float e = tx < TILE - 1 ? tile[ty][tx + 1] : x < columns - 1 ? coefficient[at + 1] : here;
	float divergence = fma32(e, de[at], fma32(here, dw[at], fma32(s, ds[at], here * dn[at])));
	image[at] = fma32(0.25f * lambda, divergence, image[at]);
}
