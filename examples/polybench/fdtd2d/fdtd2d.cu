// Electromagnetic waves on a grid (Yee): y field, x field, then the magnetic field. ex is nx x (ny+1), ey (nx+1) x ny.
#include "warpbound.h"

KERNEL fdtd_ey(const float *source, float *ey, const float *hz, int t, int nx, int ny) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= nx || j >= ny)
		return;
	if (i == 0)
		ey[i * ny + j] = source[t];
	else
		ey[i * ny + j] = fma32(-0.5f, hz[i * ny + j] - hz[(i - 1) * ny + j], ey[i * ny + j]);
}

KERNEL fdtd_ex(float *ex, const float *hz, int nx, int ny) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < nx && j > 0 && j < ny)
		ex[i * (ny + 1) + j] = fma32(-0.5f, hz[i * ny + j] - hz[i * ny + j - 1], ex[i * (ny + 1) + j]);
}

KERNEL fdtd_hz(const float *ex, const float *ey, float *hz, int nx, int ny) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i >= nx || j >= ny)
		return;
	float curl = ex[i * (ny + 1) + j + 1] - ex[i * (ny + 1) + j] + ey[(i + 1) * ny + j] - ey[i * ny + j];
	hz[i * ny + j] = fma32(-0.7f, curl, hz[i * ny + j]);
}
