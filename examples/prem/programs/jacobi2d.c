/* jacobi2d: Jacobi iteration with the mean of five neighbours in a plane; the border stays fixed. */

#ifndef N
#define N 32
#endif
#ifndef TSTEPS
#define TSTEPS 4
#endif

void kernel_jacobi2d(float A[restrict N][N], float B[restrict N][N])
{
    for (int t = 0; t < TSTEPS; t++) {
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) \
    map(to: A[0:N][0:N]) map(tofrom: B[0:N][0:N])
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                B[i][j] = 0.2f * (A[i][j] + A[i][j - 1] + A[i][j + 1] + A[i - 1][j] + A[i + 1][j]);
            }
        }
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) \
    map(tofrom: A[0:N][0:N]) map(to: B[0:N][0:N])
        for (int i = 1; i < N - 1; i++) {
            for (int j = 1; j < N - 1; j++) {
                A[i][j] = B[i][j];
            }
        }
    }
}
