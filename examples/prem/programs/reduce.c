/* reduce: reductions of two vectors: out[0] is their inner product, out[1] the largest x, out[2] the smallest y. */

#ifndef N
#define N 300
#endif

void kernel_reduce(const float x[restrict N], const float y[restrict N], float out[restrict 3])
{
    float dot = 0.0f, high = x[0], low = y[0];
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) schedule(static) \
    map(to: x[0:N], y[0:N]) map(tofrom: dot, high, low) reduction(+: dot) reduction(max: high) reduction(min: low)
    for (int i = 0; i < N; i++) {
        dot += x[i] * y[i];
        high = x[i] > high ? x[i] : high;
        low = y[i] < low ? y[i] : low;
    }
    out[0] = dot;
    out[1] = high;
    out[2] = low;
}
