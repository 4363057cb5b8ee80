#define N 40
void forms(int lo, int hi, int A[restrict N])
{
  A[0] = lo;
#pragma omp target teams distribute parallel for
  for (int i = N - 1; i >= 0; i -= 3) {
    for (long j = hi; lo < j; --j)
      A[i] += 1;
    for (int j = i / 2; j <= 2 * i + hi; j = 4 + j) {
      { int j = 1; A[i] *= j; }
    }
    if (A[i] > 0) { A[i] = 0; } else if (A[i] < -5) A[i] = lo; else { A[i]++; }
    ;
  }
}
