void f(int n, float *restrict A) {
#pragma omp target teams distribute parallel for map(tofrom: A[0:n]
  for (int i = 0; i < n; i++) A[i] = 