// One layer of a multilayer perceptron: the forward products summed by a tree in shared memory, and the weight update.
#include "warpbound.h"

#define UNITS 16 // input units of a block, and hidden units

// Sums input * weight over the block's 16 input units. The number of tree levels is computed at run time from an
// approximate logarithm, as the original does. weights is (inputs+1) x (hidden+1); row and column 0 are the bias.
KERNEL backprop_layerforward(const float *input, float *weights, float *partial, int hidden) {
	__shared__ float node[UNITS];
	__shared__ float product[UNITS][UNITS];
	int tx = threadIdx.x, ty = threadIdx.y;
	int unit = UNITS * blockIdx.y + ty + 1;
	int index = unit * (hidden + 1) + tx + 1;

	if (tx == 0)
		node[ty] = input[unit];
	syncthreads();
	product[ty][tx] = weights[index];
	syncthreads();
	product[ty][tx] = product[ty][tx] * node[ty];
	syncthreads();
	for (int level = 1; level <= (int)log2_approx((float)UNITS); level++) {
		int step = (int)exp2_approx((float)level);
		if (ty % step == 0)
			product[ty][tx] = product[ty][tx] + product[ty + step / 2][tx];
		syncthreads();
	}
	weights[index] = product[ty][tx];
	if (tx == 0)
		partial[blockIdx.y * hidden + ty] = product[tx][ty];
}

// w += eta*delta*input + momentum*oldw, in double as the untyped constants of C make it.
KERNEL backprop_adjust_weights(const float *delta, const float *input, float *w, float *oldw, int hidden) {
	const double eta = 0.3, momentum = 0.3;
	int column = threadIdx.x + 1;
	int row = UNITS * blockIdx.y + threadIdx.y + 1;
	int index = row * (hidden + 1) + column;

	double step = fma64(momentum, oldw[index], eta * delta[column] * input[row]);
	w[index] = (float)(w[index] + step);
	oldw[index] = (float)step;
	if (row == 1) {
		step = fma64(momentum, oldw[column], eta * delta[column]);
		w[column] = (float)(w[column] + step);
		oldw[column] = (float)step;
	}
}
