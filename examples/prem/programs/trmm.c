/* trmm: product with a lower triangular matrix whose diagonal is 1, C = alpha*A*B; only A below the diagonal is read. The
 * innermost trip count depends on i. */

#ifndef NI
#define NI 24
#endif
#ifndef NJ
#define NJ 32
#endif

void kernel_trmm(float alpha, const float A[restrict NI][NI], const float B[restrict NI][NJ], float C[restrict NI][NJ])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(64) schedule(static) \
    firstprivate(alpha) map(to: A[0:NI][0:NI], B[0:NI][0:NJ]) map(from: C[0:NI][0:NJ])
    for (int i = 0; i < NI; i++) {
        for (int j = 0; j < NJ; j++) {
            float sum = B[i][j];
            for (int k = 0; k < i; k++) {
                sum += A[i][k] * B[k][j];
            }
            C[i][j] = alpha * sum;
        }
    }
}
