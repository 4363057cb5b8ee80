/* jacobi1d: Jacobi iteration with the mean of three neighbours on a line; both ends stay fixed. */

#ifndef N
#define N 200
#endif
#ifndef TSTEPS
#define TSTEPS 6
#endif

void kernel_jacobi1d(float A[restrict N], float B[restrict N])
{
#pragma omp target data map(tofrom: A[0:N]) map(tofrom: B[0:N])
    for (int t = 0; t < TSTEPS; t++) {
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) schedule(static) \
    map(to: A[0:N]) map(tofrom: B[0:N])
        for (int i = 1; i < N - 1; i++) {
            B[i] = 0.33333f * (A[i - 1] + A[i] + A[i + 1]);
        }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(64) schedule(static) \
    map(tofrom: A[0:N]) map(to: B[0:N])
        for (int i = 1; i < N - 1; i++) {
            A[i] = B[i];
        }
    }
}
