// Many cells of an excitable tissue, each a small system of differential equations (FitzHugh-Nagumo) solved by the classic
// Runge-Kutta method in double precision: long dependent chains, hardly any memory.
#include "warpbound.h"

struct Cell {
	double voltage, recovery;
};

INLINE Cell slope(Cell c, double current) {
	double cube = c.voltage * c.voltage * c.voltage;
	return {fma64(-1.0 / 3.0, cube, c.voltage) - c.recovery + current,
	        0.08 * fma64(-0.8, c.recovery, c.voltage + 0.7)};
}

INLINE Cell along(Cell c, Cell d, double h) {
	return {fma64(h, d.voltage, c.voltage), fma64(h, d.recovery, c.recovery)};
}

KERNEL myocyte(double *voltage, double *recovery, const double *current, double h, int steps, int cells) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= cells)
		return;
	Cell c = {voltage[i], recovery[i]};
	double stimulus = current[i];
#pragma clang loop unroll(disable)
	for (int s = 0; s < steps; s++) {
		Cell k1 = slope(c, stimulus);
		Cell k2 = slope(along(c, k1, 0.5 * h), stimulus);
		Cell k3 = slope(along(c, k2, 0.5 * h), stimulus);
		Cell k4 = slope(along(c, k3, h), stimulus);
		c = along(c, k1, h / 6.0);
		c = along(c, k2, h / 3.0);
		c = along(c, k3, h / 3.0);
		c = along(c, k4, h / 6.0);
	}
	voltage[i] = c.voltage;
	recovery[i] = c.recovery;
}
