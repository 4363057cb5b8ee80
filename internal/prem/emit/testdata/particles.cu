// hand of hand.c, as generated kernels.
// Exact as it stands: products, quotients and roots are rounded one by one,
// whatever -fmad says. Do not compile it with -use_fast_math.

struct particle {  // hand.c:2
    int kind;
    double x;
    double new_;
};
static_assert(sizeof(struct particle) == 24, "layout");

// hand.c:3, scheme base: 2 teams of 4 threads, 0 bytes of scratchpad a team.
extern "C" __global__ void __launch_bounds__(4)
hand_0_base(
    int n,
    double dt,
    struct particle *__restrict__ p)
{
    const int thread = (int)threadIdx.x;
    const int team = (int)blockIdx.x;
    for (int i = team * 4 + thread; i < n; i += 8) {  // hand.c:4
        for (long long j = n - 1LL; j >= 0LL; j--) {  // hand.c:5
            if (p[(long long)i * n + j].kind != 0) {  // hand.c:6
                p[(long long)i * n + j].x += __dmul_rn(dt, p[(long long)i * n + j].new_);  // hand.c:7
            } else if (p[(long long)i * n + j].x != 0.0) {  // hand.c:8
                p[(long long)i * n + j].x = -0.5;  // hand.c:9
            } else {
                p[(long long)i * n + j].kind = -1;  // hand.c:10
            }
        }
    }
}
