// Prices of calls and puts.
#include "warpbound.h"

INLINE float abs32(float x) { return __builtin_fabsf(x); }
INLINE int bits32(float x) { return __builtin_bit_cast(int, x); }
INLINE float float32(int bits) { return __builtin_bit_cast(float, bits); }
#include "option.h"

INLINE float cumulative(float d) {
	float p = tail(d);
	return d > 0.0f ? 1.0f - p : p;
}

KERNEL blackscholes(const float *price, const float *strike, const float *years, float *call, float *put, int n,
                    float rate, float volatility) {
#pragma clang loop unroll(disable)
	for (int i = threadIdx.x; i < n; i += blockDim.x) {
		float s = price[i];
		Moneyness m = moneyness(s, strike[i], years[i], rate, volatility);
		float c1 = cumulative(m.d1), c2 = cumulative(m.d2);
		call[i] = s * c1 - m.discounted * c2;
		put[i] = m.discounted * (1.0f - c2) - s * (1.0f - c1);
	}
}
