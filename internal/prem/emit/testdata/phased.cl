// hand of hand.c, as generated kernels.
// Exact when built with -cl-fp32-correctly-rounded-divide-sqrt, without which
// float quotients and roots may differ in their last bits.
#pragma OPENCL FP_CONTRACT OFF

#ifndef WARPBOUND_PHASES
#define WARPBOUND_PHASES
// A change of phase: a barrier of the team.
static void enter_mem(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
static void enter_comp(void) { barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE); }
#endif

// hand.c:3, scheme sdma: 2 teams of 8 threads, 32 bytes of scratchpad a team.
__kernel __attribute__((reqd_work_group_size(8, 1, 1)))
void hand_0_sdma(
    int n,
    float kernel_,
    __global const float (*restrict in)[8],
    __global float (*restrict out)[8])
{
    __local float in_2[8];
    const int thread = (int)get_local_id(0);
    const int team = (int)get_group_id(0);
    enter_mem();
    for (int new_ = team; new_ < n; new_ += 2) {  // hand.c:5
        // load in
        in_2[thread] = in[new_][thread];  // hand.c:6
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        enter_comp();
        // execute
        float float2_ = in_2[7 - thread] * kernel_ + in_2[thread] * 0.1f;  // hand.c:7
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
        in_2[thread] = float2_ / 3.0f;  // hand.c:8
        enter_mem();
        // store out
        out[new_][thread] = in_2[thread];  // hand.c:10
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}
