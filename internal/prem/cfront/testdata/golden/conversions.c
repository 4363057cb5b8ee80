#include <math.h>
#include <stdint.h>
#define N 64
enum { HALF = N / 2 };
static const int M = 2 * N;
static const float SCALE = 0.1f;
static double G[N][2 * N];
void conversions(int n, long m, float *restrict B, int64_t I[restrict N], uint32_t U[restrict N])
{
#pragma omp target teams distribute parallel for map(tofrom: B[0:n])
  for (int i = 0; i < n; i++) {
    B[i] = sqrtf(B[i]) + fabs(1) + G[i][M - 1] * SCALE;
    I[i] += B[i] / 3;
    U[i] = i << HALF / 8;
    U[i] >>= 1u;
    I[i] = (long)i * m % 7 | ~n;
    B[i] = U[i] > 3 && !(i != 2) || I[i] ? 1 : 0x1p-3;
    unsigned long w = 18446744073709551615u;
    I[i]--;
    ++I[i];
    (B[i]) = -(float)w + powf(n, 2.5);
  }
}
