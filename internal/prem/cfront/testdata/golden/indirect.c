void indirect(int n, const int P[restrict n], double A[restrict n], double W[restrict n][2 * n + 1])
{
#pragma omp target teams distribute parallel for map(to: P) map(tofrom: A[0:n])
  for (int i = 0; i < n; i++) {
    A[P[i]] += W[i][i * n] + W[i][2 * i + 1] + W[n - 1 - i][i % 2];
    int k = i;
    A[k] = A[3 * (i - 1) + 3];
  }
}
