/* lu: LU decomposition without pivoting, in place: below the diagonal the factors of L (whose diagonal is 1), from it
 * on U. Trip counts depend on k. */

#ifndef N
#define N 28
#endif

void kernel_lu(float A[restrict N][N])
{
#pragma omp target data map(tofrom: A[0:N][0:N])
    for (int k = 0; k < N - 1; k++) {
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(k) \
    map(tofrom: A[0:N][0:N])
        for (int i = k + 1; i < N; i++) {
            A[i][k] /= A[k][k];
        }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(64) schedule(static) firstprivate(k) \
    map(tofrom: A[0:N][0:N])
        for (int i = k + 1; i < N; i++) {
            for (int j = k + 1; j < N; j++) {
                A[i][j] -= A[i][k] * A[k][j];
            }
        }
    }
}
