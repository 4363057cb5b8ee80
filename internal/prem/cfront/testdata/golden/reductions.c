#include <math.h>
static int H[100];
void reductions(const int n, double out[restrict 4])
{
  double s = 0, p = 1;
  long lo = 1l << 40, hi = -1;
#pragma omp target teams distribute parallel for reduction(+: s) reduction(*: p) reduction(min: lo), reduction(max: hi)
  for (int i = 0; i < n; i++) {
    s += H[i];
    p *= exp(H[i] * 1e-3);
    lo = H[i] < lo ? H[i] : lo;
    if (H[i] > hi) hi = H[i];
  }
  out[0] = s; out[1] = p; out[2] = lo; out[3] = hi;
}
