// Covariance matrix of n observations of m variables: column means, centring, and the products.
#include "warpbound.h"

KERNEL covariance_mean(const float *data, float *mean, int n, int m) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	if (j >= m)
		return;
	float sum = 0.0f;
#pragma clang loop unroll(disable)
	for (int i = 0; i < n; i++)
		sum += data[i * m + j];
	mean[j] = sum / (float)n;
}

KERNEL covariance_reduce(float *data, const float *mean, int n, int m) {
	int j = blockIdx.x * blockDim.x + threadIdx.x;
	int i = blockIdx.y * blockDim.y + threadIdx.y;
	if (i < n && j < m)
		data[i * m + j] -= mean[j];
}

// Thread j1 fills row and column j1 from the diagonal on: the first threads do most of the work.
KERNEL covariance_covar(const float *data, float *cov, int n, int m) {
	int j1 = blockIdx.x * blockDim.x + threadIdx.x;
	if (j1 >= m)
		return;
#pragma clang loop unroll(disable)
	for (int j2 = j1; j2 < m; j2++) {
		float sum = 0.0f;
#pragma clang loop unroll(disable)
		for (int i = 0; i < n; i++)
			sum = fma32(data[i * m + j1], data[i * m + j2], sum);
		cov[j1 * m + j2] = sum;
		cov[j2 * m + j1] = sum;
	}
}
