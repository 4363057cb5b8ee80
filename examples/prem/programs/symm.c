/* symm: product with a symmetric matrix of which the lower triangle is stored, C = alpha*A*B + beta*C. The innermost trip
 * counts depend on i. */

#ifndef NI
#define NI 24
#endif
#ifndef NJ
#define NJ 28
#endif

void kernel_symm(float alpha, float beta, const float A[restrict NI][NI], const float B[restrict NI][NJ], float C[restrict NI][NJ])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(64) schedule(static) \
    firstprivate(alpha, beta) map(to: A[0:NI][0:NI], B[0:NI][0:NJ]) map(tofrom: C[0:NI][0:NJ])
    for (int i = 0; i < NI; i++) {
        for (int j = 0; j < NJ; j++) {
            float sum = 0.0f;
            for (int k = 0; k <= i; k++) {
                sum += A[i][k] * B[k][j];
            }
            for (int k = i + 1; k < NI; k++) {
                sum += A[k][i] * B[k][j];
            }
            C[i][j] = alpha * sum + beta * C[i][j];
        }
    }
}
