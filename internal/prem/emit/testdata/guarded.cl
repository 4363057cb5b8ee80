// hand of hand.c, as generated kernels.
// Exact when built with -cl-fp32-correctly-rounded-divide-sqrt, without which
// float quotients and roots may differ in their last bits.
#pragma OPENCL FP_CONTRACT OFF

#ifndef WARPBOUND_GUARD
#define WARPBOUND_GUARD
// The device's side of the guard. Words of the token: 32 request, 64 grant, 96 teams
// (live ones above, those at the next phase's door below). A request or a grant is a
// phase number above 3 bits of kind: 2 memory, 3 compute, 4 join, 5 abort. Only the
// first work-item of a team follows the protocol; a null token turns it off, and
// after an abort teams run on unprotected, as nothing stops a kernel.
typedef struct {
    volatile __global uint *token;
    uint phase; // the word of the phase the team is in
} guard_t;

static void guard_begin(guard_t *g, volatile __global uint *token)
{
    g->token = token;
    g->phase = 0;
    if (token && get_local_id(0) == 0)
        g->phase = token[64];
}

static void guard_wait(guard_t *g, uint kind)
{
    volatile __global uint *token = g->token;
    uint want = ((g->phase >> 3) + 1) << 3 | kind, grant;
    uint old, arrived;
    mem_fence(CLK_GLOBAL_MEM_FENCE); // the phase's accesses are done
    old = atomic_add(&token[96], 1u);
    arrived = (old & 0xffffu) + 1;
    if (arrived == old >> 16) { // the last of the live teams speaks for all
        atomic_sub(&token[96], arrived);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        token[32] = want;
    }
    while ((grant = token[64]) != want)
        if ((grant & 7) == 5) {
            g->token = 0;
            return;
        }
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    g->phase = want;
}

// After its last phase a team leaves. Where the others wait at the next phase's
// door already, nobody else is left to ask for it.
static void guard_leave(guard_t *g)
{
    volatile __global uint *token = g->token;
    uint next, old, live, arrived;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (!token || get_local_id(0) != 0)
        return;
    next = ((g->phase >> 3) + 1) << 3;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    old = atomic_sub(&token[96], 1u << 16);
    live = (old >> 16) - 1;
    arrived = old & 0xffffu;
    if (live == 0) {
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        token[32] = next | 4;
    } else if (live == arrived) {
        atomic_sub(&token[96], arrived);
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        token[32] = next | ((g->phase & 7) == 2 ? 3 : 2);
    }
}

static void enter_mem(guard_t *g)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (g->token && get_local_id(0) == 0)
        guard_wait(g, 2);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}

static void enter_comp(guard_t *g)
{
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (g->token && get_local_id(0) == 0)
        guard_wait(g, 3);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
}
#endif

// hand.c:3, scheme sdma: 2 teams of 8 threads, 32 bytes of scratchpad a team.
//   #pragma omp target
__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void hand_0_sdma(
    int n,
    float kernel_,
    __global const float (*restrict in)[8],
    __global float (*restrict out)[8],
    volatile __global uint *wb_token)
{
    __local float in_2[8];
    const int thread = (int)get_local_id(0);
    const int team = (int)get_group_id(0);
    guard_t wb_guard;
    guard_begin(&wb_guard, wb_token);
    enter_mem(&wb_guard);
    for (int new_ = team; new_ < n; new_ += 2) {  // hand.c:5
        // load in
        in_2[thread] = in[new_][thread];  // hand.c:6
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        enter_comp(&wb_guard);
        // execute
        float float2_ = in_2[7 - thread] * kernel_ + in_2[thread] * 0.1f;  // hand.c:7
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        in_2[thread] = float2_ / 3.0f;  // hand.c:8
        enter_mem(&wb_guard);
        // store out
        out[new_][thread] = in_2[thread];  // hand.c:10
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    guard_leave(&wb_guard);
}
