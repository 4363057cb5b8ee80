/* cholesky: Cholesky decomposition of the symmetric matrix whose lower triangle is that of A, in double precision: A =
 * L*transpose(L). A is overwritten; above its diagonal neither matrix is touched. Trip counts depend on k, and
 * the innermost one on i. */
#include <math.h>

#ifndef N
#define N 24
#endif

void kernel_cholesky(double A[restrict N][N], double L[restrict N][N])
{
#pragma omp target data map(tofrom: A[0:N][0:N], L[0:N][0:N])
    for (int k = 0; k < N; k++) {
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(k) \
    map(to: A[0:N][0:N]) map(tofrom: L[0:N][0:N])
        for (int i = k; i < N; i++) {
            L[i][k] = A[i][k] / sqrt(A[k][k]);
        }
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(k) \
    map(tofrom: A[0:N][0:N]) map(to: L[0:N][0:N])
        for (int i = k + 1; i < N; i++) {
            for (int j = k + 1; j <= i; j++) {
                A[i][j] -= L[i][k] * L[j][k];
            }
        }
    }
}
