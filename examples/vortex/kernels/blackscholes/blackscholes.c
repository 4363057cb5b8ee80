// Prices of calls and puts. Whether an option is in the money differs from thread to thread.
#include "vortex.h"
#define INLINE VX_INLINE
#include "option.h"

struct args {
	const float *price, *strike, *years;
	float *call, *put;
	u32 n;
	float rate, volatility;
};

VX_INLINE float cumulative(float d) {
	float p = tail(d);
	vx_if (d > 0.0f)
		p = 1.0f - p;
	vx_end
	return p;
}

void kernel(const struct args *a) {
	vx_for_items (i, a->n) {
		float s = a->price[i];
		struct Moneyness m = moneyness(s, a->strike[i], a->years[i], a->rate, a->volatility);
		float c1 = cumulative(m.d1), c2 = cumulative(m.d2);
		a->call[i] = s * c1 - m.discounted * c2;
		a->put[i] = m.discounted * (1.0f - c2) - s * (1.0f - c1);
	}
	vx_end_items
}
