/*
 * latency: cycles that a dependent instruction of one warp waits for the one before it,
 * and cycles a warp instruction takes an SM when 32 warps with four independent
 * chains each issue nothing else, on the first NVIDIA GPU. It prints
 *
 *   instruction,latency_cycles,sm_cycles
 *
 * Each figure is the difference between chains of 384 and of 128 instructions over
 * 256, so that what surrounds a chain cancels; the least of 20 runs. What PTX makes
 * several machine instructions of (marked with a *) is measured as a whole.
 *
 * Build: nvcc -O3 -arch=native -o latency latency.cu
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>
#include <algorithm>

static void check(cudaError_t e, const char *what)
{
	if (e != cudaSuccess) {
		fprintf(stderr, "latency: %s: %s\n", what, cudaGetErrorString(e));
		exit(1);
	}
}

__device__ __forceinline__ long long now()
{
	long long t;
	asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
	return t;
}

/* An operation turns a state into the next; the states of a chain depend on one another. */
#define INTEGER(NAME, LABEL, CODE)                                                      \
	struct NAME {                                                                   \
		typedef uint32_t T;                                                     \
		static const char *name() { return LABEL; }                             \
		static __device__ __forceinline__ T start(uint32_t s) { return s | 1; } \
		static __device__ __forceinline__ void step(T &x, T y) { asm volatile(CODE : "+r"(x) : "r"(y)); } \
	};
#define FLOAT(NAME, LABEL, CODE)                                                        \
	struct NAME {                                                                   \
		typedef float T;                                                        \
		static const char *name() { return LABEL; }                             \
		static __device__ __forceinline__ T start(uint32_t s) { return 1.0f + s; } \
		static __device__ __forceinline__ void step(T &x, T y) { asm volatile(CODE : "+f"(x) : "f"(y)); } \
	};
#define DOUBLE(NAME, LABEL, CODE)                                                       \
	struct NAME {                                                                   \
		typedef double T;                                                       \
		static const char *name() { return LABEL; }                             \
		static __device__ __forceinline__ T start(uint32_t s) { return 1.0 + s; } \
		static __device__ __forceinline__ void step(T &x, T y) { asm volatile(CODE : "+d"(x) : "d"(y)); } \
	};
#define LONG(NAME, LABEL, CODE)                                                         \
	struct NAME {                                                                   \
		typedef unsigned long long T;                                           \
		static const char *name() { return LABEL; }                             \
		static __device__ __forceinline__ T start(uint32_t s) { return s | 1; } \
		static __device__ __forceinline__ void step(T &x, T y) { asm volatile(CODE : "+l"(x) : "l"(y)); } \
	};

INTEGER(AddS32, "add.s32+xor.b32", "add.s32 %0, %0, %1; xor.b32 %0, %0, 85;")
INTEGER(MulS32, "mul.lo.s32", "mul.lo.s32 %0, %0, %1;")
INTEGER(MadS32, "mad.lo.s32", "mad.lo.s32 %0, %0, %1, %1;")
INTEGER(MulHi, "mul.hi.u32", "mul.hi.u32 %0, %0, %1;")
INTEGER(Shl, "shl.b32", "shl.b32 %0, %0, %1;")
INTEGER(Shf, "shf.l.wrap.b32", "shf.l.wrap.b32 %0, %0, %1, %1;")
INTEGER(Min, "min.s32+xor.b32", "min.s32 %0, %0, %1; xor.b32 %0, %0, 85;")
INTEGER(Select, "setp+selp", "{.reg .pred p; setp.lt.u32 p, %0, %1; selp.u32 %0, %1, 7, p;}")
INTEGER(Popc, "popc.b32", "popc.b32 %0, %0; ")
INTEGER(Bfind, "bfind.u32", "bfind.u32 %0, %0;")
INTEGER(Brev, "brev.b32", "brev.b32 %0, %0;")
INTEGER(Prmt, "prmt.b32", "prmt.b32 %0, %0, %1, 0x3214;")
INTEGER(Sad, "sad.u32", "sad.u32 %0, %0, %1, %1;")
INTEGER(Dp4a, "dp4a.u32.u32", "dp4a.u32.u32 %0, %0, %1, %1;")
INTEGER(DivU32, "div.u32*", "div.u32 %0, %0, %1; add.u32 %0, %0, 77;")
INTEGER(Bfly, "shfl.sync.bfly.b32", "shfl.sync.bfly.b32 %0, %0, 1, 31, -1;")
INTEGER(Ballot, "setp+vote.sync.ballot.b32", "{.reg .pred p; setp.lt.u32 p, %0, %1; vote.sync.ballot.b32 %0, p, -1;}")
INTEGER(Match, "match.any.sync.b32", "match.any.sync.b32 %0, %0, -1;")
INTEGER(Redux, "redux.sync.add.u32", "redux.sync.add.u32 %0, %0, -1;")
INTEGER(HalfAdd, "add.f16x2", "add.f16x2 %0, %0, %1;")
INTEGER(HalfFma, "fma.rn.f16x2", "fma.rn.f16x2 %0, %0, %1, %1;")
LONG(AddS64, "add.s64+xor.b64*", "add.s64 %0, %0, %1; xor.b64 %0, %0, 85;")
LONG(MulS64, "mul.lo.s64*", "mul.lo.s64 %0, %0, %1;")
LONG(MadWide, "mad.wide.u32", "{.reg .b32 a; cvt.u32.u64 a, %0; mad.wide.u32 %0, a, 3, %1;}")
FLOAT(AddF32, "add.rn.f32", "add.rn.f32 %0, %0, %1;")
FLOAT(MulF32, "mul.rn.f32", "mul.rn.f32 %0, %0, %1;")
FLOAT(FmaF32, "fma.rn.f32", "fma.rn.f32 %0, %0, %1, %1;")
FLOAT(MinF32, "min.f32", "min.f32 %0, %0, %1;")
FLOAT(Rcp, "rcp.approx.ftz.f32+add.rn.f32", "rcp.approx.ftz.f32 %0, %0; add.rn.f32 %0, %0, %1;")
FLOAT(Sqrt, "sqrt.approx.ftz.f32*", "sqrt.approx.ftz.f32 %0, %0;")
FLOAT(Rsqrt, "rsqrt.approx.ftz.f32", "rsqrt.approx.ftz.f32 %0, %0;")
FLOAT(Ex2, "ex2.approx.ftz.f32", "ex2.approx.ftz.f32 %0, %0;")
FLOAT(Lg2, "lg2.approx.ftz.f32", "lg2.approx.ftz.f32 %0, %0;")
FLOAT(Sin, "sin.approx.ftz.f32*", "sin.approx.ftz.f32 %0, %0;")
FLOAT(Tanh, "tanh.approx.f32", "tanh.approx.f32 %0, %0;")
FLOAT(DivF32, "div.rn.f32*", "div.rn.f32 %0, %0, %1;")
FLOAT(SqrtRn, "sqrt.rn.f32*", "sqrt.rn.f32 %0, %0;")
FLOAT(CvtInt, "cvt.rni.s32.f32+cvt.rn.f32.s32", "{.reg .b32 a; cvt.rni.s32.f32 a, %0; cvt.rn.f32.s32 %0, a;}")
FLOAT(CvtDouble, "cvt.f64.f32+cvt.rn.f32.f64", "{.reg .f64 a; cvt.f64.f32 a, %0; cvt.rn.f32.f64 %0, a;}")
DOUBLE(AddF64, "add.rn.f64", "add.rn.f64 %0, %0, %1;")
DOUBLE(MulF64, "mul.rn.f64", "mul.rn.f64 %0, %0, %1;")
DOUBLE(FmaF64, "fma.rn.f64", "fma.rn.f64 %0, %0, %1, %1;")
DOUBLE(DivF64, "div.rn.f64*", "div.rn.f64 %0, %0, %1;")

template <class Op, int N>
__device__ __forceinline__ void chain(typename Op::T *x, int chains, typename Op::T y)
{
#pragma unroll
	for (int i = 0; i < N; i++)
#pragma unroll
		for (int c = 0; c < 4; c++)
			if (c < chains)
				Op::step(x[c], y);
}

template <class Op, int N, int Chains>
__global__ void time_chain(long long *out, typename Op::T *sink, uint32_t seed)
{
	typename Op::T x[4], y = Op::start(seed + 2);
	for (int c = 0; c < 4; c++)
		x[c] = Op::start(seed + threadIdx.x + c);
	chain<Op, 32>(x, Chains, y); /* warms the instruction cache up, in part */
	__syncthreads();
	long long from = now();
	chain<Op, N>(x, Chains, y);
	long long to = now();
	__syncthreads();
	for (int c = 0; c < Chains; c++)
		sink[threadIdx.x * 4 + c] = x[c];
	out[2 * threadIdx.x] = from;
	out[2 * threadIdx.x + 1] = to;
}

static long long *device_times;
static void *device_sink;

static long long span(int threads)
{
	std::vector<long long> t(2 * threads);
	check(cudaMemcpy(t.data(), device_times, t.size() * sizeof(long long), cudaMemcpyDeviceToHost), "times");
	long long from = t[0], to = t[1];
	for (int i = 0; i < threads; i++) {
		from = std::min(from, t[2 * i]);
		to = std::max(to, t[2 * i + 1]);
	}
	return to - from;
}

template <class Op, int N, int Chains>
static long long least(int threads)
{
	long long best = INT64_MAX;
	for (int i = 0; i < 20; i++) {
		time_chain<Op, N, Chains><<<1, threads>>>(device_times, (typename Op::T *)device_sink, 0);
		check(cudaDeviceSynchronize(), Op::name());
		best = std::min(best, span(threads));
	}
	return best;
}

template <class Op>
static void measure()
{
	double latency = (least<Op, 384, 1>(32) - least<Op, 128, 1>(32)) / 256.0;
	double rate = (least<Op, 96, 4>(1024) - least<Op, 32, 4>(1024)) / (64.0 * 4 * 32);
	printf("%s,%.2f,%.3f\n", Op::name(), latency, rate);
	fflush(stdout);
}

/* A chain of loads, each from the address that the last one gave. */
enum Space { Global_L1, Global_L2, Shared, Constant };
#define SMALL 4096
__constant__ uint32_t constant_chain[SMALL];

template <int S>
__global__ void chase(const unsigned long long *memory, int steps, long long *out, unsigned long long *sink)
{
	__shared__ uint32_t shared[SMALL];
	unsigned long long at = (unsigned long long)memory;
	uint32_t small = (uint32_t)__cvta_generic_to_shared(shared);
	if (S == Shared)
		for (int i = threadIdx.x; i < SMALL; i += blockDim.x)
			shared[i] = small + constant_chain[i];
	if (S == Constant)
		small = 0;
	__syncthreads();
	long long from = 0, to = 0;
	for (int round = 0; round < 2; round++) { /* the first one fills the caches */
		from = now();
		for (int i = 0; i < steps; i++) {
			if (S == Global_L1)
				asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
			if (S == Global_L2)
				asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
			if (S == Shared)
				asm volatile("ld.shared.u32 %0, [%0];" : "+r"(small)::"memory");
			if (S == Constant)
				small = *(const uint32_t *)((const char *)constant_chain + small);
		}
		to = now();
	}
	*sink = at + small;
	out[0] = from;
	out[1] = to;
}

template <int S>
static void loads(const char *name, const unsigned long long *memory, int steps)
{
	long long a = INT64_MAX, b = INT64_MAX;
	for (int i = 0; i < 20; i++) {
		chase<S><<<1, 32>>>(memory, steps, device_times, (unsigned long long *)device_sink);
		check(cudaDeviceSynchronize(), name);
		a = std::min(a, span(1));
		chase<S><<<1, 32>>>(memory, 2 * steps, device_times, (unsigned long long *)device_sink);
		check(cudaDeviceSynchronize(), name);
		b = std::min(b, span(1));
	}
	printf("%s,%.2f,\n", name, double(b - a) / steps);
	fflush(stdout);
}

/*
 * ring fills elements of T with a ring through all of them, in steps of so many, in
 * random order: each holds base and where the next one is, in bytes.
 */
template <class T>
static std::vector<T> ring(size_t elements, size_t step, T base)
{
	std::vector<T> out(elements);
	std::vector<size_t> order(elements / step);
	for (size_t i = 0; i < order.size(); i++)
		order[i] = i * step;
	uint64_t seed = 7;
	for (size_t i = order.size() - 1; i > 1; i--) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		std::swap(order[i], order[1 + (seed >> 33) % i]);
	}
	for (size_t i = 0; i < order.size(); i++)
		out[order[i]] = base + (T)(order[(i + 1) % order.size()] * sizeof(T));
	return out;
}

/* Atomics, barriers and fences, N times in a row. */
enum Other { AtomShared, AtomGlobal, RedGlobal, Barrier, FenceCTA, FenceGPU, FenceSys, StoreFence };
template <int O>
__global__ void others(uint32_t *memory, int steps, long long *out, uint32_t *sink)
{
	__shared__ uint32_t word;
	uint32_t x = 1;
	if (threadIdx.x == 0)
		word = 0;
	__syncthreads();
	long long from = 0, to = 0;
	for (int round = 0; round < 2; round++) {
		__syncthreads();
		from = now();
		for (int i = 0; i < steps; i++) {
			if (O == AtomShared)
				x = atomicAdd(&word, x);
			if (O == AtomGlobal)
				x = atomicAdd(memory, x);
			if (O == RedGlobal)
				asm volatile("red.global.add.u32 [%0], 1;" ::"l"(memory) : "memory");
			if (O == Barrier)
				asm volatile("bar.sync 0;" ::: "memory");
			if (O == FenceCTA)
				asm volatile("membar.cta;" ::: "memory");
			if (O == FenceGPU)
				asm volatile("membar.gl;" ::: "memory");
			if (O == FenceSys)
				asm volatile("membar.sys;" ::: "memory");
			if (O == StoreFence)
				asm volatile("st.global.u32 [%0], %1; membar.gl;" ::"l"(memory + threadIdx.x), "r"(i) : "memory");
		}
		to = now();
	}
	sink[threadIdx.x] = x;
	out[2 * threadIdx.x] = from;
	out[2 * threadIdx.x + 1] = to;
}

template <int O>
static void other(const char *name, uint32_t *memory, int threads)
{
	long long a = INT64_MAX, b = INT64_MAX;
	for (int i = 0; i < 20; i++) {
		others<O><<<1, threads>>>(memory, 128, device_times, (uint32_t *)device_sink);
		check(cudaDeviceSynchronize(), name);
		a = std::min(a, span(threads));
		others<O><<<1, threads>>>(memory, 384, device_times, (uint32_t *)device_sink);
		check(cudaDeviceSynchronize(), name);
		b = std::min(b, span(threads));
	}
	printf("%s,%.2f,\n", name, double(b - a) / 256);
	fflush(stdout);
}

template <class... Ops>
static void all()
{
	(measure<Ops>(), ...);
}

int main()
{
	check(cudaMalloc(&device_times, 2 * 1024 * sizeof(long long)), "cudaMalloc");
	check(cudaMalloc(&device_sink, 4 * 1024 * sizeof(long long)), "cudaMalloc");
	printf("instruction,latency_cycles,sm_cycles\n");
	all<AddS32, MulS32, MadS32, MulHi, Shl, Shf, Min, Select, Popc, Bfind, Brev, Prmt, Sad, Dp4a, DivU32, Bfly, Ballot, Match, Redux, HalfAdd, HalfFma,
	    AddS64, MulS64, MadWide, AddF32, MulF32, FmaF32, MinF32, Rcp, Sqrt, Rsqrt, Ex2, Lg2, Sin, Tanh, DivF32, SqrtRn, CvtInt, CvtDouble, AddF64, MulF64, FmaF64, DivF64>();
	typedef unsigned long long address;
	const size_t large = (size_t)1 << 28; /* 2 GiB */
	address *chains;
	check(cudaMalloc(&chains, large * sizeof(address)), "cudaMalloc");
	auto global = [&](size_t elements, size_t step) {
		std::vector<address> r = ring<address>(elements, step, (address)chains);
		check(cudaMemcpy(chains, r.data(), r.size() * sizeof(address), cudaMemcpyHostToDevice), "ring");
	};
	auto constant = [&](size_t elements) {
		std::vector<uint32_t> r = ring<uint32_t>(elements, 1, 0);
		r.resize(SMALL);
		check(cudaMemcpyToSymbol(constant_chain, r.data(), r.size() * sizeof(uint32_t)), "ring");
	};
	constant(64);
	loads<Constant>("ld.const.u32 (256 B)", chains, 1024);
	constant(SMALL);
	loads<Constant>("ld.const.u32 (16 KiB)", chains, 4096);
	loads<Shared>("ld.shared.u32", chains, 1024);
	global(2048, 16);
	loads<Global_L1>("ld.global.ca.u64 (16 KiB; hits in L1)", chains, 1024);
	loads<Global_L2>("ld.global.cg.u64 (16 KiB; hits in L2)", chains, 1024);
	global((size_t)1 << 20, 16);
	loads<Global_L2>("ld.global.cg.u64 (8 MiB; hits in L2)", chains, 65536);
	global(large, 512);
	loads<Global_L2>("ld.global.cg.u64 (2 GiB; 4 KiB apart; misses in L2)", chains, 131072);
	uint32_t *memory = (uint32_t *)chains;
	check(cudaMemset(memory, 0, 4096), "memset");
	other<AtomShared>("atom.shared.add.u32 (one warp; one lane's word)", memory, 1);
	other<AtomShared>("atom.shared.add.u32 (32 lanes; one word)", memory, 32);
	other<AtomGlobal>("atom.global.add.u32 (one lane)", memory, 1);
	other<AtomGlobal>("atom.global.add.u32 (32 lanes; one word)", memory, 32);
	other<RedGlobal>("red.global.add.u32 (one lane)", memory, 1);
	other<Barrier>("bar.sync 0 (1 warp)", memory, 32);
	other<Barrier>("bar.sync 0 (8 warps)", memory, 256);
	other<Barrier>("bar.sync 0 (32 warps)", memory, 1024);
	other<FenceCTA>("membar.cta", memory, 32);
	other<FenceGPU>("membar.gl", memory, 32);
	other<FenceSys>("membar.sys", memory, 32);
	other<StoreFence>("st.global.u32 + membar.gl", memory, 32);
	return 0;
}
