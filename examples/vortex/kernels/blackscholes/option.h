// The formula of Black and Scholes for European options, the same in C and in CUDA C++. exp and log are our own: their
// operations are spelled out, so that every compiler and the host get the same bits. fma32, sqrt32, abs32, max32,
// bits32 and float32 come from whoever includes this.

// ln x for normal x > 0: x = 2^e * m with m from sqrt(1/2) to sqrt(2), and ln m = 2 artanh((m - 1) / (m + 1)).
INLINE float log_of(float x) {
	int bits = bits32(x);
	int e = (bits - 0x3f3504f3) >> 23;
	float f = float32(bits - (int)((unsigned)e << 23)) - 1.0f;
	float s = f / (2.0f + f);
	float z = s * s;
	float series = fma32(z, fma32(z, fma32(z, 1.0f / 9.0f, 1.0f / 7.0f), 1.0f / 5.0f), 1.0f / 3.0f);
	float ln = fma32(2.0f * s, z * series, 2.0f * s);
	return fma32((float)e, 0.693147180559945f, ln);
}

// e^x for x up to 88; below -87 as for -87. x = k ln 2 + r, and the series of e^r to its sixth power. Adding 1.5 * 2^23
// rounds to an integer and leaves it in the low bits.
INLINE float exp_of(float x) {
	const float round = 12582912.0f;
	x = max32(x, -87.0f);
	float shifted = fma32(x, 1.44269504088896f, round);
	float k = shifted - round;
	float r = fma32(k, -1.42860682e-6f, fma32(k, -0.693145751953125f, x));
	float series = fma32(r, fma32(r, fma32(r, fma32(r, 1.0f / 720.0f, 1.0f / 120.0f), 1.0f / 24.0f), 1.0f / 6.0f), 0.5f);
	float e = fma32(r, fma32(r, series, 1.0f), 1.0f);
	return float32(bits32(e) + (int)((unsigned)(bits32(shifted) - bits32(round)) << 23));
}

// The upper tail of the standard normal distribution from |d| on: Abramowitz and Stegun, Handbook of Mathematical
// Functions, formula 26.2.17.
INLINE float tail(float d) {
	float k = 1.0f / fma32(0.2316419f, abs32(d), 1.0f);
	float series = fma32(k, fma32(k, fma32(k, fma32(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f),
	                     0.319381530f);
	return 0.3989422804f * exp_of(-0.5f * d * d) * (k * series);
}

struct Moneyness {
	float d1, d2, discounted;
};

// Of an option on a share at price s, to be had for x in t years, with the given rate and volatility.
INLINE struct Moneyness moneyness(float s, float x, float t, float rate, float volatility) {
	struct Moneyness m;
	float spread = volatility * sqrt32(t);
	m.d1 = fma32(fma32(0.5f * volatility, volatility, rate), t, log_of(s / x)) / spread;
	m.d2 = m.d1 - spread;
	m.discounted = x * exp_of(-rate * t);
	return m;
}
