/* seidel2d: Gauss-Seidel iteration with the mean of nine neighbours in a plane, in place; the border stays fixed. The elements
 * of one wavefront 2*i + j = w are independent of each other, and taking the wavefronts in order computes the same
 * as taking the elements in order. A guard cuts the wavefront at the border. */

#ifndef N
#define N 24
#endif
#ifndef TSTEPS
#define TSTEPS 2
#endif

void kernel_seidel2d(float A[restrict N][N])
{
#pragma omp target data map(tofrom: A[0:N][0:N])
    for (int t = 0; t < TSTEPS; t++) {
        for (int w = 3; w < 3 * N - 5; w++) {
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(w) \
    map(tofrom: A[0:N][0:N])
            for (int i = 1; i < N - 1; i++) {
                if (w - 2 * i >= 1 && w - 2 * i < N - 1) {
                    A[i][w - 2 * i] = (A[i - 1][w - 2 * i - 1] + A[i - 1][w - 2 * i] + A[i - 1][w - 2 * i + 1] +
                                       A[i][w - 2 * i - 1] + A[i][w - 2 * i] + A[i][w - 2 * i + 1] +
                                       A[i + 1][w - 2 * i - 1] + A[i + 1][w - 2 * i] + A[i + 1][w - 2 * i + 1]) / 9.0f;
                }
            }
        }
    }
}
