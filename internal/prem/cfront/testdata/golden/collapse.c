#define N 16
#define FOR(v, lo) for (int v = lo; v < N; v++)
void collapse(float (*restrict A)[N], const float B[restrict N][N])
{
#pragma omp target teams distribute parallel for simd collapse(2) \
    map(A[:N]) map(to: B) num_teams(N / 4) num_threads(2 * (N + 2) - 4) schedule(static, 4)
  FOR (i, 0) {
    FOR (j, 0)
      A[i][j] = B[j][i];
  }
}
