// Finding round cells in an image: how well each place fits as the centre of a circle, and the dilation of that score.
#include "warpbound.h"

#define POINTS 8
#define CIRCLES 3
#define REACH 2 // of the dilation

__constant__ float cosine[POINTS] = {1.0f, 0.70710678f, 0.0f, -0.70710678f, -1.0f, -0.70710678f, 0.0f, 0.70710678f};
__constant__ float sine[POINTS] = {0.0f, 0.70710678f, 1.0f, 0.70710678f, 0.0f, -0.70710678f, -1.0f, -0.70710678f};
__constant__ int offset_x[CIRCLES][POINTS] = {
    {2, 1, 0, -1, -2, -1, 0, 1}, {4, 3, 0, -3, -4, -3, 0, 3}, {6, 4, 0, -4, -6, -4, 0, 4}};
__constant__ int offset_y[CIRCLES][POINTS] = {
    {0, 1, 2, 1, 0, -1, -2, -1}, {0, 3, 4, 3, 0, -3, -4, -3}, {0, 4, 6, 4, 0, -4, -6, -4}};
__constant__ int disc[2 * REACH + 1][2 * REACH + 1] = {
    {0, 1, 1, 1, 0}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {1, 1, 1, 1, 1}, {0, 1, 1, 1, 0}};

// The best ratio, over three circles, of squared mean to variance of the gradient across the circle (GICOV). Images have a
// margin of six on each side that is not scored.
KERNEL gicov(const float *gradient_x, const float *gradient_y, float *score, int width, int height) {
	const int margin = 6;
	int x = blockIdx.x * blockDim.x + threadIdx.x + margin;
	int y = blockIdx.y * blockDim.y + threadIdx.y + margin;
	if (x >= width - margin || y >= height - margin)
		return;
	float best = 0.0f;
#pragma clang loop unroll(disable)
	for (int circle = 0; circle < CIRCLES; circle++) {
		float sum = 0.0f, squares = 0.0f;
#pragma clang loop unroll(disable)
		for (int k = 0; k < POINTS; k++) {
			int at = (y + offset_y[circle][k]) * width + x + offset_x[circle][k];
			float across = fma32(gradient_y[at], sine[k], gradient_x[at] * cosine[k]);
			sum += across;
			squares = fma32(across, across, squares);
		}
		float mean = sum / (float)POINTS;
		float variance = fma32(-mean, sum, squares) / (float)(POINTS - 1);
		if (mean * mean / variance > best)
			best = mean * mean / variance;
	}
	score[y * width + x] = best;
}

// The greatest score within a disc; what lies outside the image does not count.
KERNEL dilate(const float *in, float *out, int width, int height) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= width * height)
		return;
	int x = i % width, y = i / width;
	float most = 0.0f;
#pragma clang loop unroll(disable)
	for (int dy = -REACH; dy <= REACH; dy++) {
#pragma clang loop unroll(disable)
		for (int dx = -REACH; dx <= REACH; dx++) {
			int u = x + dx, v = y + dy;
			if (u >= 0 && v >= 0 && u < width && v < height && disc[dy + REACH][dx + REACH] != 0) {
				float value = in[v * width + u];
				if (value > most)
					most = value;
			}
		}
	}
	out[i] = most;
}
