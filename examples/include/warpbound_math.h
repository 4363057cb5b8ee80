// Part of warpbound.h: arithmetic that is an instruction or a few. Functions named __f..._rn are never fused.
#ifndef WARPBOUND_MATH_H
#define WARPBOUND_MATH_H

// Smaller, larger, without sign.
#define WARPBOUND_MINMAX(T) \
	INLINE T min(T a, T b) { return a < b ? a : b; } \
	INLINE T max(T a, T b) { return a > b ? a : b; }
WARPBOUND_MINMAX(int)
WARPBOUND_MINMAX(unsigned)
WARPBOUND_MINMAX(long)
WARPBOUND_MINMAX(unsigned long)
WARPBOUND_MINMAX(long long)
WARPBOUND_MINMAX(unsigned long long)
#undef WARPBOUND_MINMAX
INLINE unsigned min(int a, unsigned b) { return min((unsigned)a, b); }
INLINE unsigned min(unsigned a, int b) { return min(a, (unsigned)b); }
INLINE unsigned max(int a, unsigned b) { return max((unsigned)a, b); }
INLINE unsigned max(unsigned a, int b) { return max(a, (unsigned)b); }
INLINE float fminf(float a, float b) { return __builtin_fminf(a, b); }
INLINE float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
INLINE double fmin(double a, double b) { return __builtin_fmin(a, b); }
INLINE double fmax(double a, double b) { return __builtin_fmax(a, b); }
INLINE float fmin(float a, float b) { return fminf(a, b); }
INLINE float fmax(float a, float b) { return fmaxf(a, b); }
INLINE float min(float a, float b) { return fminf(a, b); }
INLINE float max(float a, float b) { return fmaxf(a, b); }
INLINE double min(double a, double b) { return fmin(a, b); }
INLINE double max(double a, double b) { return fmax(a, b); }
INLINE double min(float a, double b) { return fmin((double)a, b); }
INLINE double min(double a, float b) { return fmin(a, (double)b); }
INLINE double max(float a, double b) { return fmax((double)a, b); }
INLINE double max(double a, float b) { return fmax(a, (double)b); }
INLINE int abs(int a) { return a < 0 ? -a : a; }
INLINE long labs(long a) { return a < 0 ? -a : a; }
INLINE long long llabs(long long a) { return a < 0 ? -a : a; }
INLINE long abs(long a) { return labs(a); }
INLINE long long abs(long long a) { return llabs(a); }
INLINE float fabsf(float a) { return __builtin_fabsf(a); }
INLINE double fabs(double a) { return __builtin_fabs(a); }
INLINE float fabs(float a) { return fabsf(a); }
INLINE float abs(float a) { return fabsf(a); }
INLINE double abs(double a) { return fabs(a); }

// Correctly rounded to nearest even.
INLINE float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
INLINE double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
INLINE float fma(float a, float b, float c) { return fmaf(a, b, c); }
INLINE float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
INLINE double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
INLINE float sqrt(float a) { return sqrtf(a); }
// clang up to 18 fuses what it makes of __nvvm_mul_rn_f with an addition after it; it does not look into asm.
#define WARPBOUND_RN(T, letter, ptx, name, op) \
	INLINE T name(T a, T b) { T r; asm(#op ".rn." #ptx " %0, %1, %2;" : "=" letter(r) : letter(a), letter(b)); return r; }
WARPBOUND_RN(float, "f", f32, __fadd_rn, add)
WARPBOUND_RN(float, "f", f32, __fsub_rn, sub)
WARPBOUND_RN(float, "f", f32, __fmul_rn, mul)
WARPBOUND_RN(double, "d", f64, __dadd_rn, add)
WARPBOUND_RN(double, "d", f64, __dsub_rn, sub)
WARPBOUND_RN(double, "d", f64, __dmul_rn, mul)
#undef WARPBOUND_RN
INLINE float __fdiv_rn(float a, float b) { return __nvvm_div_rn_f(a, b); }
INLINE float __fmaf_rn(float a, float b, float c) { return fmaf(a, b, c); }
INLINE float __fsqrt_rn(float a) { return __nvvm_sqrt_rn_f(a); }
INLINE float __frcp_rn(float a) { return __nvvm_rcp_rn_f(a); }
INLINE double __ddiv_rn(double a, double b) { return __nvvm_div_rn_d(a, b); }
INLINE double __fma_rn(double a, double b, double c) { return fma(a, b, c); }
INLINE double __dsqrt_rn(double a) { return __nvvm_sqrt_rn_d(a); }
INLINE double __drcp_rn(double a) { return __nvvm_rcp_rn_d(a); }

// Of limited accuracy, an instruction or two each.
INLINE float rsqrtf(float a) { return __nvvm_rsqrt_approx_f(a); }
INLINE float __fdividef(float a, float b) { return __nvvm_div_approx_f(a, b); }
INLINE float __expf(float a) { return __nvvm_ex2_approx_f(a * 1.4426950408889634f); }
INLINE float __exp10f(float a) { return __nvvm_ex2_approx_f(a * 3.3219280948873623f); }
INLINE float __log2f(float a) { return __nvvm_lg2_approx_f(a); }
INLINE float __logf(float a) { return __nvvm_lg2_approx_f(a) * 0.6931471805599453f; }
INLINE float __log10f(float a) { return __nvvm_lg2_approx_f(a) * 0.3010299956639812f; }
INLINE float __powf(float a, float b) { return __nvvm_ex2_approx_f(b * __nvvm_lg2_approx_f(a)); }
INLINE float __sinf(float a) { return __nvvm_sin_approx_f(a); }
INLINE float __cosf(float a) { return __nvvm_cos_approx_f(a); }
INLINE float __tanf(float a) { return __nvvm_div_approx_f(__sinf(a), __cosf(a)); }
INLINE void __sincosf(float a, float *s, float *c) { *s = __sinf(a), *c = __cosf(a); }
#ifdef WARPBOUND_FAST_MATH
INLINE float expf(float a) { return __expf(a); }
INLINE float exp2f(float a) { return __nvvm_ex2_approx_f(a); }
INLINE float exp10f(float a) { return __exp10f(a); }
INLINE float logf(float a) { return __logf(a); }
INLINE float log2f(float a) { return __log2f(a); }
INLINE float log10f(float a) { return __log10f(a); }
INLINE float powf(float a, float b) { return __powf(a, b); }
INLINE float sinf(float a) { return __sinf(a); }
INLINE float cosf(float a) { return __cosf(a); }
INLINE float tanf(float a) { return __tanf(a); }
INLINE void sincosf(float a, float *s, float *c) { __sincosf(a, s, c); }
#endif

// To whole numbers, signs, kinds.
INLINE float floorf(float a) { return __builtin_floorf(a); }
INLINE double floor(double a) { return __builtin_floor(a); }
INLINE float floor(float a) { return floorf(a); }
INLINE float ceilf(float a) { return __builtin_ceilf(a); }
INLINE double ceil(double a) { return __builtin_ceil(a); }
INLINE float ceil(float a) { return ceilf(a); }
INLINE float truncf(float a) { return __builtin_truncf(a); }
INLINE double trunc(double a) { return __builtin_trunc(a); }
INLINE float rintf(float a) { return __builtin_rintf(a); }
INLINE double rint(double a) { return __builtin_rint(a); }
INLINE float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
INLINE double copysign(double a, double b) { return __builtin_copysign(a, b); }
INLINE float roundf(float a)
{
	float whole = truncf(a);
	return copysignf(fabsf(a - whole) >= 0.5f ? whole + copysignf(1.0f, a) : whole, a);
}
INLINE double round(double a)
{
	double whole = trunc(a);
	return copysign(fabs(a - whole) >= 0.5 ? whole + copysign(1.0, a) : whole, a);
}
INLINE float __saturatef(float a) { return __nvvm_saturate_f(a); }
INLINE bool isnan(float a) { return a != a; }
INLINE bool isnan(double a) { return a != a; }
INLINE bool isinf(float a) { return fabsf(a) == __builtin_inff(); }
INLINE bool isinf(double a) { return fabs(a) == __builtin_inf(); }

// Between types, rounded as the name ends: to nearest even, to zero, down, up; and bit by bit.
// In asm, because clang rounds an integer to nearest even whatever its builtin is called.
#define WARPBOUND_CVT(name, T, t, U, u, ptx) \
	INLINE U name(T a) { U r; asm("cvt." ptx " %0, %1;" : "=" u(r) : t(a)); return r; }
#define WARPBOUND_ROUNDED(name, T, t, U, u, i, ptx) \
	WARPBOUND_CVT(name##_rn, T, t, U, u, "rn" i ptx) \
	WARPBOUND_CVT(name##_rz, T, t, U, u, "rz" i ptx) \
	WARPBOUND_CVT(name##_rd, T, t, U, u, "rm" i ptx) \
	WARPBOUND_CVT(name##_ru, T, t, U, u, "rp" i ptx)
WARPBOUND_ROUNDED(__float2int, float, "f", int, "r", "i", ".s32.f32")
WARPBOUND_ROUNDED(__float2uint, float, "f", unsigned, "r", "i", ".u32.f32")
WARPBOUND_ROUNDED(__float2ll, float, "f", long long, "l", "i", ".s64.f32")
WARPBOUND_ROUNDED(__float2ull, float, "f", u64, "l", "i", ".u64.f32")
WARPBOUND_ROUNDED(__double2int, double, "d", int, "r", "i", ".s32.f64")
WARPBOUND_ROUNDED(__double2uint, double, "d", unsigned, "r", "i", ".u32.f64")
WARPBOUND_ROUNDED(__double2ll, double, "d", long long, "l", "i", ".s64.f64")
WARPBOUND_ROUNDED(__double2ull, double, "d", u64, "l", "i", ".u64.f64")
WARPBOUND_ROUNDED(__int2float, int, "r", float, "f", "", ".f32.s32")
WARPBOUND_ROUNDED(__uint2float, unsigned, "r", float, "f", "", ".f32.u32")
WARPBOUND_ROUNDED(__ll2float, long long, "l", float, "f", "", ".f32.s64")
WARPBOUND_ROUNDED(__ull2float, u64, "l", float, "f", "", ".f32.u64")
WARPBOUND_ROUNDED(__double2float, double, "d", float, "f", "", ".f32.f64")
WARPBOUND_ROUNDED(__ll2double, long long, "l", double, "d", "", ".f64.s64")
WARPBOUND_ROUNDED(__ull2double, u64, "l", double, "d", "", ".f64.u64")
#undef WARPBOUND_ROUNDED
#undef WARPBOUND_CVT
INLINE double __int2double_rn(int a) { return a; }
INLINE double __uint2double_rn(unsigned a) { return a; }
INLINE int __float_as_int(float a) { return __nvvm_bitcast_f2i(a); }
INLINE unsigned __float_as_uint(float a) { return (unsigned)__nvvm_bitcast_f2i(a); }
INLINE float __int_as_float(int a) { return __nvvm_bitcast_i2f(a); }
INLINE float __uint_as_float(unsigned a) { return __nvvm_bitcast_i2f((int)a); }
INLINE long long __double_as_longlong(double a) { return __nvvm_bitcast_d2ll(a); }
INLINE double __longlong_as_double(long long a) { return __nvvm_bitcast_ll2d(a); }
INLINE int __double2hiint(double a) { return (int)(__nvvm_bitcast_d2ll(a) >> 32); }
INLINE int __double2loint(double a) { return (int)__nvvm_bitcast_d2ll(a); }
INLINE double __hiloint2double(int high, int low)
{
	return __nvvm_bitcast_ll2d((long long)((u64)(unsigned)high << 32 | (unsigned)low));
}

// Integers: bits, and products of which one half is wanted.
INLINE int __popc(unsigned a) { return __builtin_popcount(a); }
INLINE int __popcll(u64 a) { return __builtin_popcountll(a); }
INLINE int __clz(int a) { return a ? __builtin_clz((unsigned)a) : 32; }
INLINE int __clzll(long long a) { return a ? __builtin_clzll((u64)a) : 64; }
INLINE int __ffs(int a) { return __builtin_ffs(a); }
INLINE int __ffsll(long long a) { return __builtin_ffsll(a); }
INLINE unsigned __brev(unsigned a) { return __builtin_bitreverse32(a); }
INLINE u64 __brevll(u64 a) { return __builtin_bitreverse64(a); }
INLINE unsigned __byte_perm(unsigned a, unsigned b, unsigned s) { return (unsigned)__nvvm_prmt((int)a, (int)b, (int)(s & 0x7777)); }
INLINE unsigned __funnelshift_l(unsigned low, unsigned high, unsigned n) { return (unsigned)(((u64)high << 32 | low) << (n & 31) >> 32); }
INLINE unsigned __funnelshift_r(unsigned low, unsigned high, unsigned n) { return (unsigned)(((u64)high << 32 | low) >> (n & 31)); }
INLINE int __mul24(int a, int b) { return __nvvm_mul24_i(a, b); }
INLINE unsigned __umul24(unsigned a, unsigned b) { return (unsigned)__nvvm_mul24_ui(a, b); }
INLINE int __mulhi(int a, int b) { return __nvvm_mulhi_i(a, b); }
INLINE unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)__nvvm_mulhi_ui(a, b); }
INLINE long long __mul64hi(long long a, long long b) { return __nvvm_mulhi_ll(a, b); }
INLINE u64 __umul64hi(u64 a, u64 b) { return (u64)__nvvm_mulhi_ull(a, b); }
INLINE unsigned __sad(int a, int b, unsigned c) { return (unsigned)__nvvm_sad_i(a, b, (int)c); }
INLINE unsigned __usad(unsigned a, unsigned b, unsigned c) { return (unsigned)__nvvm_sad_ui(a, b, c); }

#endif
