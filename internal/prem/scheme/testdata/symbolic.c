/* Extents and bounds that are parameters, a pointer with a section, long loop variables. */
void symbolic(int n, int m, long from, float A[restrict n][m], const float x[restrict m], float *restrict y, const float z[restrict n])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) firstprivate(n, m) map(to: x[0:m], z[0:n]) map(tofrom: A[0:n][0:m], y[0:n])
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 24; j++) {
            y[i] += A[i][j] * x[j];
        }
    }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(16) firstprivate(n, m, from) map(to: x[0:m], z[0:n]) map(tofrom: A[0:n][0:m])
    for (long i = from; i <= n - 2; i++) {
        for (int j = m - 1; j >= 1; j--) {
            A[i + 1][j] = A[i + 1][j] * z[i] + x[j - 1];
        }
    }
}
