/* gemm: matrix product C = alpha*A*B + beta*C. */

#ifndef NI
#define NI 32
#endif
#ifndef NJ
#define NJ 28
#endif
#ifndef NK
#define NK 24
#endif

void kernel_gemm(float alpha, float beta, const float A[restrict NI][NK], const float B[restrict NK][NJ], float C[restrict NI][NJ])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(64) schedule(static) \
    firstprivate(alpha, beta) map(to: A[0:NI][0:NK], B[0:NK][0:NJ]) map(tofrom: C[0:NI][0:NJ])
    for (int i = 0; i < NI; i++) {
        for (int j = 0; j < NJ; j++) {
            C[i][j] *= beta;
            for (int k = 0; k < NK; k++) {
                C[i][j] += alpha * A[i][k] * B[k][j];
            }
        }
    }
}
