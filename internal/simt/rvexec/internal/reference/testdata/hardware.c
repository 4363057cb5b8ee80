// Prints what an x86-64 processor computes for random operands: operation,
// rounding mode as RISC-V numbers them, three operands, result and flags as in
// fflags. SSE detects tininess after rounding, as RISC-V does. NaNs are printed
// as RISC-V's canonical NaN. Left out is 0 * infinity + a quiet NaN, which is
// invalid in RISC-V only, and the mode RMM, which x86 does not have.
//
//	gcc -O1 -frounding-math -mfma -o hardware hardware.c -lm
//	./hardware 1000 > hardware.txt
#include <fenv.h>
#include <immintrin.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

static uint32_t draw(void) // xorshift64
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state >> 16;
}

static float number(uint32_t bits)
{
	float x;
	memcpy(&x, &bits, 4);
	return x;
}

static uint32_t pattern(float x)
{
	uint32_t bits;
	memcpy(&bits, &x, 4);
	return bits;
}

static uint32_t operand(void)
{
	static const uint32_t borders[] = {
		0, 1, 2, 0x3fffff, 0x400000, 0x7fffff, 0x800000, 0x800001, 0xffffff, 0x1000000, 0x1fffffff, 0x20000000,
		0x33800000, 0x34000000, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40000000, 0x4b000000,
		0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7fc00000, 0x7f800001,
	};
	uint32_t sign = draw() & 0x80000000;
	switch (draw() % 6) {
	case 0:
		return borders[draw() % 24] | sign;
	case 1: // beside a border
		return (borders[draw() % 24] + draw() % 9 - 4) ^ sign;
	case 2: // short fraction
		return (draw() & 0xff800000) | (draw() << (15 + draw() % 8) & 0x7fffff);
	case 3: // of moderate size
		return (draw() & 0x807fffff) | (111 + draw() % 33) << 23;
	case 4: // subnormal, or nearly
		return sign | (draw() & 0xffffff) >> draw() % 24;
	default:
		return draw();
	}
}

// beside is an operand near x in size, so that sums cancel.
static uint32_t beside(uint32_t x)
{
	return (x + draw() % 33 - 16 + ((draw() % 51 - 25) << 23)) ^ (draw() & 0x80000000);
}

int main(int argc, char **argv)
{
	static const char *const names[] = {"add", "sub", "mul", "div", "sqrt", "fma", "from int"};
	static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
	long count = argc > 1 ? atol(argv[1]) : 1000;
	for (long i = 0; i < count;) {
		int op = i % 7, mode = draw() % 4;
		uint32_t x = operand(), y = operand(), z = operand();
		if (draw() % 3 == 0)
			y = beside(x);
		if (draw() % 3 == 0)
			z = beside(pattern(number(x) * number(y)));
		volatile float a = number(x), b = number(y), c = number(z), d = 0;
		volatile int32_t n = (int32_t)x;
		if (op == 5 && isnan(c) && ((a == 0 && isinf(b)) || (isinf(a) && b == 0)))
			continue;
		i++;
		fesetround(modes[mode]);
		feclearexcept(FE_ALL_EXCEPT);
		switch (op) {
		case 0: d = a + b; break;
		case 1: d = a - b; break;
		case 2: d = a * b; break;
		case 3: d = a / b; break;
		case 4: d = _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(a))); break;
		case 5: d = _mm_cvtss_f32(_mm_fmadd_ss(_mm_set_ss(a), _mm_set_ss(b), _mm_set_ss(c))); break;
		case 6: d = (float)n; break;
		}
		int raised = fetestexcept(FE_ALL_EXCEPT);
		fesetround(FE_TONEAREST);
		unsigned flags = !!(raised & FE_INVALID) << 4 | !!(raised & FE_DIVBYZERO) << 3 | !!(raised & FE_OVERFLOW) << 2
			| !!(raised & FE_UNDERFLOW) << 1 | !!(raised & FE_INEXACT);
		printf("%s,%d,%08x,%08x,%08x,%08x,%x\n", names[op], mode, x, y, z, isnan(d) ? 0x7fc00000 : pattern(d), flags);
	}
}
