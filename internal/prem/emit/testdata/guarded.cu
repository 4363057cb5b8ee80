// hand of hand.c, as generated kernels.
// Exact as it stands: products, quotients and roots are rounded one by one,
// whatever -fmad says. Do not compile it with -use_fast_math.

#ifndef WARPBOUND_GUARD
#define WARPBOUND_GUARD
// The device's side of the guard. Words of the token: 32 request, 64 grant, 96 teams
// (live ones above, those at the next phase's door below). A request or a grant is a
// phase number above 3 bits of kind: 2 memory, 3 compute, 4 join, 5 abort. Only the
// first thread of a team follows the protocol; a null token turns it off.
typedef struct {
    volatile unsigned *token;
    unsigned phase; // the word of the phase the team is in
} guard_t;

static __device__ void guard_begin(guard_t *g, volatile unsigned *token)
{
    g->token = token;
    g->phase = 0;
    if (token && threadIdx.x == 0)
        g->phase = token[64];
}

static __device__ void guard_wait(guard_t *g, unsigned kind)
{
    volatile unsigned *token = g->token;
    unsigned want = ((g->phase >> 3) + 1) << 3 | kind, grant;
    __threadfence_system(); // the phase's accesses are done
    unsigned old = atomicAdd((unsigned *)&token[96], 1u);
    unsigned arrived = (old & 0xffffu) + 1;
    if (arrived == old >> 16) { // the last of the live teams speaks for all
        atomicSub((unsigned *)&token[96], arrived);
        __threadfence_system();
        token[32] = want;
    }
    while ((grant = token[64]) != want)
        if ((grant & 7) == 5)
            __trap();
    __threadfence_system();
    g->phase = want;
}

// After its last phase a team leaves. Where the others wait at the next phase's
// door already, nobody else is left to ask for it.
static __device__ void guard_leave(guard_t *g)
{
    __syncthreads();
    if (!g->token || threadIdx.x != 0)
        return;
    volatile unsigned *token = g->token;
    unsigned next = ((g->phase >> 3) + 1) << 3;
    __threadfence_system();
    unsigned old = atomicSub((unsigned *)&token[96], 1u << 16);
    unsigned live = (old >> 16) - 1, arrived = old & 0xffffu;
    if (live == 0) {
        __threadfence_system();
        token[32] = next | 4;
    } else if (live == arrived) {
        atomicSub((unsigned *)&token[96], arrived);
        __threadfence_system();
        token[32] = next | ((g->phase & 7) == 2 ? 3 : 2);
    }
}

static __device__ __forceinline__ void enter_mem(guard_t *g)
{
    asm volatile("bar.sync 1;" ::: "memory");
    if (g->token && threadIdx.x == 0)
        guard_wait(g, 2);
    asm volatile("bar.sync 1;" ::: "memory");
}

static __device__ __forceinline__ void enter_comp(guard_t *g)
{
    asm volatile("bar.sync 2;" ::: "memory");
    if (g->token && threadIdx.x == 0)
        guard_wait(g, 3);
    asm volatile("bar.sync 2;" ::: "memory");
}
#endif

// hand.c:3, scheme sdma: 2 teams of 8 threads, 32 bytes of scratchpad a team.
//   #pragma omp target
extern "C" __global__ void __launch_bounds__(8)
hand_0_sdma(
    int n,
    float kernel_,
    const float (*__restrict__ in)[8],
    float (*__restrict__ out)[8],
    volatile unsigned *wb_token)
{
    __shared__ float in_2[8];
    const int thread = (int)threadIdx.x;
    const int team = (int)blockIdx.x;
    guard_t wb_guard;
    guard_begin(&wb_guard, wb_token);
    enter_mem(&wb_guard);
    for (int new_ = team; new_ < n; new_ += 2) {  // hand.c:5
        // load in
        in_2[thread] = in[new_][thread];  // hand.c:6
        __syncthreads();
        enter_comp(&wb_guard);
        // execute
        float float2_ = __fmul_rn(in_2[7 - thread], kernel_) + __fmul_rn(in_2[thread], 0.1f);  // hand.c:7
        __syncthreads();
        in_2[thread] = __fdiv_rn(float2_, 3.0f);  // hand.c:8
        enter_mem(&wb_guard);
        // store out
        out[new_][thread] = in_2[thread];  // hand.c:10
        __syncthreads();
    }
    guard_leave(&wb_guard);
}
