// What a harness uses of CUDA's runtime, on the processor: kernels run as fibers, a
// thread of the system for every team, so that teams are concurrent and __shared__
// is a thread's own. For a CUDA compiler declarations alone, to check the syntax.
#ifndef CUDA_RUNTIME_H
#define CUDA_RUNTIME_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef int cudaError_t;
typedef struct wb_event *cudaEvent_t;
typedef struct wb_stream *cudaStream_t;
enum { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum { cudaMemAttachGlobal = 1, cudaHostAllocMapped = 2 };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount = 16 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

#ifdef __CUDA__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
#define __shared__ __attribute__((shared))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#define __forceinline__ inline __attribute__((always_inline))
extern "C" unsigned __cudaPushCallConfiguration(dim3, dim3, size_t = 0, cudaStream_t = 0);
cudaError_t cudaConfigureCall(dim3, dim3, size_t = 0, cudaStream_t = 0);
cudaError_t cudaMallocManaged(void **, size_t, unsigned);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaHostGetDevicePointer(void **, void *, unsigned);
cudaError_t cudaGetLastError(void);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaEventCreate(cudaEvent_t *);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaDeviceGetAttribute(int *, cudaDeviceAttr, int);
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);
const char *cudaGetErrorString(cudaError_t);
struct wb_index { unsigned x; };
extern __device__ const wb_index threadIdx, blockIdx;
__device__ void __syncthreads();
__device__ void __threadfence_system();
__device__ void __trap();
__device__ unsigned atomicAdd(unsigned *, unsigned);
__device__ unsigned atomicSub(unsigned *, unsigned);
__device__ float __fmul_rn(float, float);
__device__ float __fdiv_rn(float, float);
__device__ float __fsqrt_rn(float);
__device__ double __dmul_rn(double, double);
__device__ double __ddiv_rn(double, double);
__device__ double __dsqrt_rn(double);
__device__ float __int_as_float(int);
__device__ double __longlong_as_double(long long);
#else
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <ucontext.h>

#define __global__
#define __device__
#define __shared__ static __thread
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n)
#define __forceinline__ inline

struct wb_index { unsigned x; };
struct wb_fiber { ucontext_t context; void *stack; int done; };
struct wb_team {
    pthread_t thread;
    void (*call)(const void *);
    const void *args;
    unsigned team, threads, current;
    ucontext_t scheduler;
    wb_fiber *fibers;
};
static __thread wb_team *wb_self;
#define threadIdx (wb_index{wb_self->current})
#define blockIdx (wb_index{wb_self->team})

// A barrier gives the next fiber its turn: when all have had theirs, all have met.
static inline void wb_barrier(void)
{
    wb_team *t = wb_self;
    swapcontext(&t->fibers[t->current].context, &t->scheduler);
}
#define __syncthreads wb_barrier

static void wb_entry(void)
{
    wb_team *t = wb_self;
    t->call(t->args);
    t->fibers[t->current].done = 1;
    swapcontext(&t->fibers[t->current].context, &t->scheduler);
}

static void *wb_run_team(void *p)
{
    wb_team *t = (wb_team *)p;
    wb_self = t;
    t->fibers = (wb_fiber *)calloc(t->threads, sizeof *t->fibers);
    for (unsigned i = 0; i < t->threads; i++) {
        wb_fiber *f = &t->fibers[i];
        f->stack = malloc(1 << 16);
        getcontext(&f->context);
        f->context.uc_stack.ss_sp = f->stack;
        f->context.uc_stack.ss_size = 1 << 16;
        f->context.uc_link = 0;
        makecontext(&f->context, wb_entry, 0);
    }
    for (unsigned left = t->threads; left > 0;)
        for (t->current = 0; t->current < t->threads; t->current++) {
            wb_fiber *f = &t->fibers[t->current];
            if (f->done)
                continue;
            swapcontext(&t->scheduler, &f->context);
            left -= f->done;
        }
    for (unsigned i = 0; i < t->threads; i++)
        free(t->fibers[i].stack);
    free(t->fibers);
    return 0;
}

// wb_launch starts the teams; cudaDeviceSynchronize waits for them.
static wb_team *wb_teams;
static unsigned wb_team_count;

template <class F> static void wb_call(const void *f) { (*(const F *)f)(); }

template <class F> static void wb_launch(unsigned teams, unsigned threads, F f)
{
    wb_teams = (wb_team *)calloc(teams, sizeof *wb_teams);
    wb_team_count = teams;
    F *kept = new F(f);
    for (unsigned i = 0; i < teams; i++) {
        wb_team *t = &wb_teams[i];
        t->call = wb_call<F>;
        t->args = kept;
        t->team = i;
        t->threads = threads;
        if (pthread_create(&t->thread, 0, wb_run_team, t))
            abort();
    }
}

static inline cudaError_t cudaDeviceSynchronize(void)
{
    for (unsigned i = 0; i < wb_team_count; i++)
        pthread_join(wb_teams[i].thread, 0);
    wb_team_count = 0;
    return cudaSuccess;
}

static inline cudaError_t cudaMallocManaged(void **p, size_t n, unsigned)
{
    *p = malloc(n);
    return *p ? cudaSuccess : cudaErrorMemoryAllocation;
}
static inline cudaError_t cudaHostAlloc(void **p, size_t n, unsigned) { return cudaMallocManaged(p, n, 0); }
static inline cudaError_t cudaHostGetDevicePointer(void **d, void *h, unsigned) { *d = h; return cudaSuccess; }
static inline cudaError_t cudaGetLastError(void) { return cudaSuccess; }
static inline const char *cudaGetErrorString(cudaError_t) { return "error"; }
struct wb_event { struct timespec at; };
static inline cudaError_t cudaEventCreate(cudaEvent_t *e) { *e = new wb_event; return cudaSuccess; }
static inline cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t) { return clock_gettime(CLOCK_MONOTONIC, &e->at); }
static inline cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t a, cudaEvent_t b)
{
    *ms = (b->at.tv_sec - a->at.tv_sec) * 1e3f + (b->at.tv_nsec - a->at.tv_nsec) * 1e-6f;
    return cudaSuccess;
}
static inline cudaError_t cudaGetDevice(int *d) { *d = 0; return cudaSuccess; }
static inline cudaError_t cudaDeviceGetAttribute(int *v, cudaDeviceAttr, int) { *v = 2; return cudaSuccess; }
static inline cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) { return cudaSuccess; }
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *n, const void *, int, size_t) { *n = 4; return cudaSuccess; }

static inline void __threadfence_system() { __sync_synchronize(); }
static inline void __trap() { abort(); }
static inline unsigned atomicAdd(unsigned *p, unsigned v) { return __sync_fetch_and_add(p, v); }
static inline unsigned atomicSub(unsigned *p, unsigned v) { return __sync_fetch_and_sub(p, v); }
static inline float __fmul_rn(float a, float b) { volatile float p = a * b; return p; }
static inline double __dmul_rn(double a, double b) { volatile double p = a * b; return p; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline float __fsqrt_rn(float a) { return sqrtf(a); }
static inline double __dsqrt_rn(double a) { return sqrt(a); }
static inline float __int_as_float(int x) { float f; memcpy(&f, &x, sizeof f); return f; }
static inline double __longlong_as_double(long long x) { double d; memcpy(&d, &x, sizeof d); return d; }
#endif
#endif
