package emit

// Barriers 1 and 2 mark memory and compute phases.
const cudaPlainSync = `
// A change of phase: a barrier of the team with a number of its own.
static __device__ __forceinline__ void enter_mem() { asm volatile("bar.sync 1;" ::: "memory"); }
static __device__ __forceinline__ void enter_comp() { asm volatile("bar.sync 2;" ::: "memory"); }
`

const cudaGuard = `
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
`

const openclPlainSync = `
// A change of phase: a barrier of the team.
static void enter_mem(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
static void enter_comp(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
`

// OpenCL C has nothing that stops a kernel: after an abort a team runs on without
// waiting.
const openclGuard = `
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
`
