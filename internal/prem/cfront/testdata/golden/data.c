#define N 8
void data(float A[restrict N], float B[restrict N])
{
#pragma omp target data map(tofrom: A) map(alloc: B[0:N])
  for (int t = 0; t < 3; t++) {
#pragma omp target teams distribute parallel for map(to: A) map(from: B)
    for (int i = 1; i < N - 1; i++)
      B[i] = (A[i - 1] + A[i] + A[i + 1]) / 3;
#pragma omp target teams distribute parallel for firstprivate(t)
    for (int i = 1; i < N - 1; i++)
      A[i] = B[i] + t;
  }
}

int omitted(int x) { while (x) x--; return x; }
