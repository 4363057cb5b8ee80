// A membrane that relaxes, in steps of its own choice: a step whose error is too large is tried again at half the size.
#include "warpbound.h"

// y' = rate (rest - y) from 0 to 1 by Heun's method; the difference to Euler's is the error.
KERNEL relax(const double *rate, const double *rest, double *y, int *steps, double tolerance, int cells, int limit) {
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c >= cells)
		return;
	double k = rate[c], goal = rest[c], now = y[c], t = 0, h = 0.25;
	int n = 0;
#pragma clang loop unroll(disable)
	while (t < 1 && n < limit) {
		double first = k * (goal - now);
		double euler = fma64(h, first, now);
		double second = k * (goal - euler);
		double heun = fma64(0.5 * h, first + second, now);
		double error = heun - euler;
		if (error < 0)
			error = -error;
		n++;
		if (error > tolerance) {
			h = 0.5 * h;
			continue;
		}
		t += h;
		now = heun;
		if (4 * error < tolerance)
			h = 2 * h;
		if (t + h > 1)
			h = 1 - t;
	}
	y[c] = now;
	steps[c] = n;
}
