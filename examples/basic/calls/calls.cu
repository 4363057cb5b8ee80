// Real calls: a function with a structure by value and one that calls itself.
#include "warpbound.h"

#define NOINLINE __attribute__((noinline)) __device__

struct Polynomial {
	float coefficient[6];
	int degree;
};

NOINLINE float horner(Polynomial p, float x) {
	float value = 0.0f;
#pragma clang loop unroll(disable)
	for (int i = p.degree; i >= 0; i--)
		value = fma32(value, x, p.coefficient[i]);
	return value;
}

// The polynomial is a parameter of the kernel, passed on to the function.
KERNEL polynomial(Polynomial p, const float *x, float *y, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = horner(p, x[i]);
}

NOINLINE u32 steps(u32 n, u32 most) {
	if (n <= 1 || most == 0)
		return 0;
	return 1 + steps(n % 2 ? 3 * n + 1 : n / 2, most - 1) * (n % 2 ? 3 : 1) % 1000;
}

// Recursion to a depth that differs from lane to lane, at most 40.
KERNEL recursion(u32 *out) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = steps(i, 40);
}
