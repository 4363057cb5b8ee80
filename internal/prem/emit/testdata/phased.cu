// hand of hand.c, as generated kernels.
// Exact as it stands: products, quotients and roots are rounded one by one,
// whatever -fmad says. Do not compile it with -use_fast_math.

#ifndef WARPBOUND_PHASES
#define WARPBOUND_PHASES
// A change of phase: a barrier of the team with a number of its own.
static __device__ __forceinline__ void enter_mem() { asm volatile("bar.sync 1;" ::: "memory"); }
static __device__ __forceinline__ void enter_comp() { asm volatile("bar.sync 2;" ::: "memory"); }
#endif

// hand.c:3, scheme sdma: 2 teams of 8 threads, 32 bytes of scratchpad a team.
extern "C" __global__ void __launch_bounds__(8)
hand_0_sdma(
    int n,
    float kernel_,
    const float (*__restrict__ in)[8],
    float (*__restrict__ out)[8])
{
    __shared__ float in_2[8];
    const int thread = (int)threadIdx.x;
    const int team = (int)blockIdx.x;
    enter_mem();
    for (int new_ = team; new_ < n; new_ += 2) {  // hand.c:5
        // load in
        in_2[thread] = in[new_][thread];  // hand.c:6
        __syncthreads();
        enter_comp();
        // execute
        float float2_ = __fmul_rn(in_2[7 - thread], kernel_) + __fmul_rn(in_2[thread], 0.1f);  // hand.c:7
        __syncthreads();
        in_2[thread] = __fdiv_rn(float2_, 3.0f);  // hand.c:8
        enter_mem();
        // store out
        out[new_][thread] = in_2[thread];  // hand.c:10
        __syncthreads();
    }
}
