// hand of hand.c, as generated kernels.
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

struct particle {  // hand.c:2
    int kind;
    double x;
    double new_;
};

// hand.c:3, scheme base: 2 teams of 4 threads, 0 bytes of scratchpad a team.
__kernel __attribute__((reqd_work_group_size(4, 1, 1)))
void hand_0_base(
    int n,
    double dt,
    __global struct particle *restrict p)
{
    const int thread = (int)get_local_id(0);
    const int team = (int)get_group_id(0);
    for (int i = team * 4 + thread; i < n; i += 8) {  // hand.c:4
        for (long j = n - 1L; j >= 0L; j--) {  // hand.c:5
            if (p[(long)i * n + j].kind != 0) {  // hand.c:6
                p[(long)i * n + j].x += dt * p[(long)i * n + j].new_;  // hand.c:7
            } else if (p[(long)i * n + j].x != 0.0) {  // hand.c:8
                p[(long)i * n + j].x = -0.5;  // hand.c:9
            } else {
                p[(long)i * n + j].kind = -1;  // hand.c:10
            }
        }
    }
}
