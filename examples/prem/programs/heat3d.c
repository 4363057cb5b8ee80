/* heat3d: explicit steps of the heat equation in a box with fixed faces, in double precision, from A to B and back. */

#ifndef N
#define N 12
#endif
#ifndef TSTEPS
#define TSTEPS 3
#endif

void kernel_heat3d(double c, double A[restrict N][N][N], double B[restrict N][N][N])
{
#pragma omp target data map(tofrom: A[0:N][0:N][0:N], B[0:N][0:N][0:N])
    for (int t = 0; t < TSTEPS; t++) {
#pragma omp target teams distribute parallel for collapse(3) num_teams(4) num_threads(64) schedule(static) firstprivate(c) \
    map(to: A[0:N][0:N][0:N]) map(tofrom: B[0:N][0:N][0:N])
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                for (int k = 1; k < N - 1; k++) {
                    B[i][j][k] = A[i][j][k] + c * (A[i + 1][j][k] - 2.0 * A[i][j][k] + A[i - 1][j][k]) +
                                 c * (A[i][j + 1][k] - 2.0 * A[i][j][k] + A[i][j - 1][k]) +
                                 c * (A[i][j][k + 1] - 2.0 * A[i][j][k] + A[i][j][k - 1]);
                }
            }
        }
#pragma omp target teams distribute parallel for collapse(3) num_teams(4) num_threads(64) schedule(static) firstprivate(c) \
    map(tofrom: A[0:N][0:N][0:N]) map(to: B[0:N][0:N][0:N])
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                for (int k = 1; k < N - 1; k++) {
                    A[i][j][k] = B[i][j][k] + c * (B[i + 1][j][k] - 2.0 * B[i][j][k] + B[i - 1][j][k]) +
                                 c * (B[i][j + 1][k] - 2.0 * B[i][j][k] + B[i][j - 1][k]) +
                                 c * (B[i][j][k + 1] - 2.0 * B[i][j][k] + B[i][j][k - 1]);
                }
            }
        }
    }
}
