/* redblack: relaxation in red-black order with factor omega, in place; the border stays fixed. The elements with even i + j are
 * independent of each other, and so are the others: each half sweep runs over the rows and steps by two along them. N is even. */

#ifndef N
#define N 26
#endif
#ifndef TSTEPS
#define TSTEPS 3
#endif

void kernel_redblack(double omega, double A[restrict N][N])
{
    for (int t = 0; t < TSTEPS; t++) {
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(omega) \
    map(tofrom: A[0:N][0:N])
        for (int r = 0; r < N / 2 - 1; r++) {
            for (int j = 1; j < N - 1; j += 2) {
                A[2 * r + 1][j] += omega * (0.25 * (A[2 * r][j] + A[2 * r + 2][j] + A[2 * r + 1][j - 1] + A[2 * r + 1][j + 1]) -
                                            A[2 * r + 1][j]);
            }
            for (int j = 2; j < N - 1; j += 2) {
                A[2 * r + 2][j] += omega * (0.25 * (A[2 * r + 1][j] + A[2 * r + 3][j] + A[2 * r + 2][j - 1] + A[2 * r + 2][j + 1]) -
                                            A[2 * r + 2][j]);
            }
        }
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(omega) \
    map(tofrom: A[0:N][0:N])
        for (int r = 0; r < N / 2 - 1; r++) {
            for (int j = 2; j < N - 1; j += 2) {
                A[2 * r + 1][j] += omega * (0.25 * (A[2 * r][j] + A[2 * r + 2][j] + A[2 * r + 1][j - 1] + A[2 * r + 1][j + 1]) -
                                            A[2 * r + 1][j]);
            }
            for (int j = 1; j < N - 1; j += 2) {
                A[2 * r + 2][j] += omega * (0.25 * (A[2 * r + 1][j] + A[2 * r + 3][j] + A[2 * r + 2][j - 1] + A[2 * r + 2][j + 1]) -
                                            A[2 * r + 2][j]);
            }
        }
    }
}
