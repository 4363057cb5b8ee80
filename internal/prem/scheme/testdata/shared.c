/* Boxes of one array that have elements in common: rows i and j of A, and a wide and a narrow stencil. */
void common(const int A[restrict N][N], int C[restrict N][N], int y[restrict N])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(3) num_threads(32) map(to: A[0:N][0:N]) map(tofrom: C[0:N][0:N])
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            for (int k = 0; k < N; k++) {
                C[i][j] += A[i][k] * A[j][k] - A[k][0];
            }
        }
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) map(to: A[0:N][0:N]) map(tofrom: y[0:N])
    for (int i = 0; i < N; i++) {
        y[i] += A[i][0] + A[0][i] + A[N - 1][i] + A[i][N - 1] + A[i][i] + A[N - 1 - i][i];
    }
}
