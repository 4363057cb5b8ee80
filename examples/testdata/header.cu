// Uses everything that include/warpbound.h declares, without including it: nvcc compiles this too. header_test.go says what
// each row of a kernel's result holds, in the same order.

#define ROW(x) out[row++ * 64 + i] = (x)
#define FLOAT(x) ROW(__float_as_int(x))
#define DOUBLE(x) ROW(__double_as_longlong(x))

extern "C" __global__ void __launch_bounds__(64) integers(const int *a, const int *b, long long *out)
{
	int i = threadIdx.x, row = 0, x = a[i], y = b[i];
	unsigned u = (unsigned)x, v = (unsigned)y;
	long long xx = (long long)x << 21 ^ y, yy = (long long)y << 30 | (unsigned)x;
	unsigned long long uu = (unsigned long long)xx, vv = (unsigned long long)yy;
	ROW(min(x, y)); ROW(max(x, y)); ROW(min(u, v)); ROW(max(u, v)); ROW(min(x, v)); ROW(max(u, y));
	ROW(min(xx, yy)); ROW(max(xx, yy)); ROW((long long)min(uu, vv)); ROW((long long)max(uu, vv)); ROW(min((long)xx, (long)yy));
	ROW(abs(x)); ROW(llabs(xx)); ROW(labs((long)xx)); ROW(abs(xx));
	ROW(__popc(u)); ROW(__popcll(uu)); ROW(__clz(x)); ROW(__clz(0)); ROW(__clzll(xx)); ROW(__ffs(x)); ROW(__ffs(0)); ROW(__ffsll(xx));
	ROW(__brev(u)); ROW((long long)__brevll(uu)); ROW(__byte_perm(u, v, 0x7250)); ROW(__byte_perm(u, v, 0x98fc));
	ROW(__funnelshift_l(u, v, 5)); ROW(__funnelshift_r(u, v, 37)); ROW(__funnelshift_l(u, v, 32));
	ROW(__mul24(x, y)); ROW(__umul24(u, v)); ROW(__mulhi(x, y)); ROW(__umulhi(u, v));
	ROW(__mul64hi(xx, yy)); ROW((long long)__umul64hi(uu, vv)); ROW(__sad(x, y, 7)); ROW(__usad(u, v, 7));
}

extern "C" __global__ void floats(const float *a, const double *b, long long *out)
{
	int i = threadIdx.x, row = 0;
	float x = a[i], y = a[63 - i], z = a[i ^ 5];
	double p = b[i], q = b[63 - i], r = b[i ^ 5];
	FLOAT(fmaf(x, y, z)); FLOAT(fma(x, y, z)); FLOAT(__fmaf_rn(x, y, z)); DOUBLE(fma(p, q, r)); DOUBLE(__fma_rn(p, q, r));
	FLOAT(sqrtf(fabsf(x))); FLOAT(sqrt(fabs(x))); DOUBLE(sqrt(fabs(p))); FLOAT(__fsqrt_rn(abs(x))); DOUBLE(__dsqrt_rn(abs(p)));
	FLOAT(__fadd_rn(__fmul_rn(x, y), z)); FLOAT(__fsub_rn(__fmul_rn(x, y), z)); FLOAT(__fmul_rn(x, y) + z);
	DOUBLE(__dadd_rn(__dmul_rn(p, q), r)); DOUBLE(__dsub_rn(__dmul_rn(p, q), r)); DOUBLE(__dmul_rn(p, q) + r);
	FLOAT(__fdiv_rn(x, y)); DOUBLE(__ddiv_rn(p, q)); FLOAT(__frcp_rn(x)); DOUBLE(__drcp_rn(p));
	FLOAT(fminf(x, y)); FLOAT(fmaxf(x, y)); FLOAT(min(x, y)); FLOAT(max(x, y)); DOUBLE(fmin(p, q)); DOUBLE(fmax(p, q)); FLOAT(fmin(x, y)); FLOAT(fmax(x, y)); DOUBLE(max(p, q)); DOUBLE(min(x, p)); DOUBLE(max(p, x));
	FLOAT(floorf(x)); FLOAT(ceilf(x)); FLOAT(truncf(x)); FLOAT(rintf(x)); FLOAT(roundf(x)); FLOAT(roundf(0.5f)); FLOAT(roundf(0.49999997f)); FLOAT(floor(x));
	DOUBLE(floor(p)); DOUBLE(ceil(p)); DOUBLE(trunc(p)); DOUBLE(rint(p)); DOUBLE(round(p));
	FLOAT(copysignf(x, y)); DOUBLE(copysign(p, q)); FLOAT(__saturatef(x));
	ROW(isnan(x)); ROW(isnan(__int_as_float(0x7fc00000 + i))); ROW(isinf(x)); ROW(isinf(__longlong_as_double(0x7ff0000000000000)));
	ROW(__float2int_rn(x)); ROW(__float2int_rz(x)); ROW(__float2int_rd(x)); ROW(__float2int_ru(x)); ROW(__float2uint_rn(fabsf(x)));
	ROW(__float2ll_rn(x)); ROW((long long)__float2ull_rz(fabsf(x))); ROW(__double2int_rn(p)); ROW(__double2int_rd(p)); ROW(__double2uint_rz(fabs(p)));
	ROW(__double2ll_ru(p)); ROW((long long)__double2ull_rn(fabs(p)));
	FLOAT(__int2float_rn(123456789 + i)); FLOAT(__int2float_rz(123456789 + i)); FLOAT(__uint2float_rn(0xfffffff0u + i / 4)); FLOAT(__ll2float_rn(123456789012345ll * i));
	FLOAT(__ull2float_rn(123456789012345ull * i)); FLOAT(__double2float_rn(p)); FLOAT(__double2float_rz(p)); DOUBLE(__ll2double_rn(1234567890123456789ll + i));
	DOUBLE(__ull2double_rn(12345678901234567890ull + i)); DOUBLE(__int2double_rn(-i)); DOUBLE(__uint2double_rn(i));
	ROW(__float_as_uint(x)); FLOAT(__uint_as_float(0x40000000u + i)); ROW(__double2hiint(p)); ROW(__double2loint(p)); DOUBLE(__hiloint2double(0x40000000, i));
}

extern "C" __global__ void approximations(const float *a, float *out)
{
	int i = threadIdx.x, row = 0;
	float x = a[i], y = fabsf(x) + 0.25f, s, c;
	ROW(rsqrtf(y)); ROW(__fdividef(x, y)); ROW(__expf(x)); ROW(__exp10f(x)); ROW(__log2f(y)); ROW(__logf(y)); ROW(__log10f(y)); ROW(__powf(y, x));
	ROW(__sinf(x)); ROW(__cosf(x)); ROW(__tanf(x));
	__sincosf(x, &s, &c);
	ROW(s); ROW(c);
#if defined(WARPBOUND_FAST_MATH)
	ROW(expf(x)); ROW(exp2f(x)); ROW(exp10f(x)); ROW(logf(y)); ROW(log2f(y)); ROW(log10f(y)); ROW(powf(y, x)); ROW(sinf(x)); ROW(cosf(x)); ROW(tanf(x));
	sincosf(x, &s, &c);
	ROW(s); ROW(c);
#endif
}

// 2 blocks of 16 x 4 threads.
extern "C" __global__ void geometry(long long *out)
{
	int i = threadIdx.x + threadIdx.y * blockDim.x + blockDim.x * blockDim.y * threadIdx.z, row = blockIdx.x * 12;
	dim3 t = threadIdx, n = blockDim, grid(3);
	uint3 b = blockIdx, g = gridDim;
	ROW(t.x); ROW(t.y); ROW(t.z); ROW(n.x); ROW(n.y); ROW(n.z); ROW(b.x); ROW(b.y); ROW(g.x); ROW(g.z); ROW(warpSize); ROW(grid.x + grid.y);
}

__constant__ float4 corner = {1, 2, 3, 4};

static __device__ __noinline__ int2 turned(int2 v) { return make_int2(-v.y, v.x); }
static __device__ __forceinline__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

extern "C" __global__ void vectors(const int *__restrict__ a, long long *out)
{
	__shared__ __align__(16) double2 pair[64];
	int i = threadIdx.x, row = 0;
	pair[i] = make_double2(i, -i);
	__syncthreads();
	int2 v = turned(((const int2 *)a)[i / 2]);
	ROW(v.x); ROW(v.y); ROW((long long)(dot(corner, make_float4(i, 1, 2, 3)))); ROW((long long)(pair[63 - i].x + 2 * pair[i].y));
	ROW(make_uchar4(1, 2, 3, 255).w + make_char2(1, -1).y + make_ushort2(1, 65535).y + make_short4(1, 2, 3, -4).w + make_uint3(1, 2, 3).z);
	ROW(sizeof(char4) + 100 * sizeof(short2) + 10000 * sizeof(longlong2) + 1000000 * sizeof(float3)); ROW(make_ulonglong2(1, 2).y + make_long3(1, 2, 3).z);
	ROW(__ldg(&a[i])); ROW(__ldg((const unsigned *)&a[i])); ROW(__ldg((const long long *)a + i / 2)); ROW((long long)__ldg((const unsigned long long *)a + i / 2));
	ROW(__float_as_int(__ldg((const float *)a + i))); ROW(__double_as_longlong(__ldg((const double *)a + i / 2)));
	ROW(__ldg((const int2 *)a + i / 2).y); ROW(__ldg((const uint2 *)a + i / 2).x); ROW(__ldg((const int4 *)a + i / 4).w); ROW(__ldg((const uint4 *)a + i / 4).z);
	ROW(__float_as_int(__ldg((const float2 *)a + i / 2).y)); ROW(__float_as_int(__ldg((const float4 *)a + i / 4).x)); ROW(__double_as_longlong(__ldg((const double2 *)a + i / 4).y));
}

extern "C" __global__ void warps(const int *a, long long *out)
{
	const unsigned all = 0xffffffff;
	int i = threadIdx.x, row = 0, x = a[i], same;
	float f = x;
	double d = x;
	ROW(__syncthreads_count(x & 1)); ROW(__syncthreads_and(x != 1)); ROW(__syncthreads_or(x == 1));
	ROW(__all_sync(all, i < 32)); ROW(__any_sync(all, i == 40)); ROW(__uni_sync(all, i == 40)); ROW(__ballot_sync(all, x & 1));
	ROW(__match_any_sync(all, i % 3)); ROW(__match_any_sync(all, 1ull << 40 << i % 3)); ROW(__match_all_sync(all, i / 32, &same)); ROW(same);
	ROW(__match_all_sync(all, (long long)i, &same)); ROW(same);
	ROW(__shfl_sync(all, x, 5)); ROW(__shfl_sync(all, (unsigned)x, i + 1, 8)); ROW(__shfl_up_sync(all, x, 3)); ROW(__shfl_up_sync(all, x, 3, 16));
	ROW(__shfl_down_sync(all, x, 3)); ROW(__shfl_down_sync(all, x, 1, 4)); ROW(__shfl_xor_sync(all, x, 9)); ROW(__shfl_xor_sync(all, x, 3, 4));
	ROW((long long)__shfl_xor_sync(all, f, 1)); ROW((long long)__shfl_down_sync(all, d, 1)); ROW(__shfl_sync(all, (long long)x << 32 | i, 7));
	ROW((long long)__shfl_up_sync(all, (unsigned long long)x << 20, 1)); ROW(__shfl_sync(all, (long)x << 33, 2));
	int active = 0;
	if (i % 2) {
		active = __activemask();
		__syncwarp(0xaaaaaaaa);
	}
	ROW(active);
	__syncwarp();
	__threadfence_block();
	__threadfence();
	__threadfence_system();
	long long passed = clock64() >= 0 ? clock() - clock() : 0;
	ROW(passed <= 0);
	if (passed > 0)
		__trap();
}

// Every thread does each; the words start at what header_test.go says, and go back to out at the end.
extern "C" __global__ void atomics(int *w, long long *ww, float *f, double *d, long long *out)
{
	extern __shared__ int shared[];
	int i = threadIdx.x, row = 0;
	unsigned *u = (unsigned *)w;
	unsigned long long *uu = (unsigned long long *)ww;
	shared[i] = 0;
	__syncthreads();
	atomicAdd(&shared[i / 2], i);
	__syncthreads();
	ROW(shared[i]);
	ROW(atomicAdd(&w[i], 3)); ROW(atomicAdd(&u[i], 0xfffffff0u)); ROW(atomicSub(&w[i], 5)); ROW(atomicSub(&u[i], 2u));
	ROW(atomicMin(&w[i], 20)); ROW(atomicMin(&u[i], 40u)); ROW(atomicMax(&w[i], -3)); ROW(atomicMax(&u[i], 9u));
	ROW(atomicAnd(&w[i], 0xff)); ROW(atomicOr(&u[i], 0x100u)); ROW(atomicXor(&w[i], 0x55)); ROW(atomicInc(&u[i], 300u)); ROW(atomicDec(&u[i], 300u));
	ROW(atomicInc(&u[i], 1u)); ROW(atomicDec(&u[i], 7u));
	ROW(atomicCAS(&w[i], 7, 1000 + i)); ROW(atomicCAS(&u[i], 1000u, 5u)); ROW(atomicExch(&w[i], i)); ROW(atomicExch(&u[i], 2u * i)); ROW(w[i]);
	ROW((long long)atomicAdd(&uu[i], 1ull << 40)); ROW(atomicMin(&ww[i], 1ll << 39)); ROW(atomicMax(&ww[i], (long long)i << 34)); ROW((long long)atomicMin(&uu[i], 1ull << 38));
	ROW((long long)atomicMax(&uu[i], 3ull)); ROW((long long)atomicAnd(&uu[i], ~1ull)); ROW((long long)atomicOr(&uu[i], 6ull)); ROW((long long)atomicXor(&uu[i], 1ull << 63));
	ROW((long long)atomicCAS(&uu[i], (1ull << 63) + 6, 77ull)); ROW((long long)atomicExch(&uu[i], 1ull)); ROW(ww[i]);
	FLOAT(atomicAdd(&f[i], 0.1f)); FLOAT(atomicExch(&f[i], 2.5f)); FLOAT(f[i]); DOUBLE(atomicAdd(&d[i], 0.1)); DOUBLE(d[i]);
}
