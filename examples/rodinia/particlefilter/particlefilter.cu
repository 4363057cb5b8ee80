// One step of a particle filter that follows an object in a video frame, in double precision.
#include "warpbound.h"

#define THREADS 128

// Weighs every particle by how well the frame fits the object template around it; block sums for the normalisation.
// The template's offsets and the particles' places make the addresses.
KERNEL pf_likelihood(const double *x, const double *y, const int *template_x, const int *template_y, const int *frame,
                     double *weights, double *block_sums, int particles, int template_size, int width, int height) {
	__shared__ double partial[THREADS];
	int t = threadIdx.x;
	int i = blockIdx.x * blockDim.x + t;
	partial[t] = 0.0;
	if (i < particles) {
		int px = (int)(x[i] + 0.5), py = (int)(y[i] + 0.5);
		double likelihood = 0.0;
#pragma clang loop unroll(disable)
		for (int k = 0; k < template_size; k++) {
			int at = (py + template_y[k]) * width + px + template_x[k];
			if (at < 0 || at >= width * height)
				at = 0;
			double pixel = frame[at];
			double background = pixel - 100.0, object = pixel - 228.0;
			likelihood += fma64(background, background, -(object * object)) / 50.0;
		}
		double weight = weights[i] * (double)exp_approx((float)(likelihood / template_size));
		weights[i] = weight;
		partial[t] = weight;
	}
	syncthreads();
#pragma clang loop unroll(disable)
	for (int half = THREADS / 2; half > 0; half >>= 1) {
		if (t < half)
			partial[t] += partial[t + half];
		syncthreads();
	}
	if (t == 0)
		block_sums[blockIdx.x] = partial[0];
}

// Normalises the weights; one thread alone then builds the cumulative distribution while the others wait.
KERNEL pf_normalize(double *weights, const double *block_sums, double *cdf, double *u, double u1, int particles,
                    int blocks) {
	__shared__ double total;
	int t = threadIdx.x;
	if (t == 0) {
		double sum = 0.0;
#pragma clang loop unroll(disable)
		for (int b = 0; b < blocks; b++)
			sum += block_sums[b];
		total = sum;
	}
	syncthreads();
	for (int i = t; i < particles; i += blockDim.x)
		weights[i] = weights[i] / total;
	syncthreads();
	if (t == 0) {
		double sum = 0.0;
#pragma clang loop unroll(disable)
		for (int i = 0; i < particles; i++) {
			sum += weights[i];
			cdf[i] = sum;
		}
	}
	for (int i = t; i < particles; i += blockDim.x)
		u[i] = u1 + (double)i / (double)particles;
}

// Systematic resampling: each thread searches the cumulative distribution from its start, so the loop's length depends on
// the data and differs from lane to lane.
KERNEL pf_resample(const double *cdf, const double *u, const double *x, const double *y, double *new_x, double *new_y,
                   int particles) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= particles)
		return;
	int found = particles - 1;
#pragma clang loop unroll(disable)
	for (int k = 0; k < particles; k++) {
		if (cdf[k] >= u[i]) {
			found = k;
			break;
		}
	}
	new_x[i] = x[found];
	new_y[i] = y[found];
}
