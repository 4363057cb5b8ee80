/* syrk: symmetric update of rank k, C = alpha*A*transpose(A) + beta*C, all of C. */

#ifndef NI
#define NI 28
#endif
#ifndef NJ
#define NJ 24
#endif

void kernel_syrk(float alpha, float beta, const float A[restrict NI][NJ], float C[restrict NI][NI])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) \
    firstprivate(alpha, beta) map(to: A[0:NI][0:NJ]) map(tofrom: C[0:NI][0:NI])
    for (int i = 0; i < NI; i++) {
        for (int j = 0; j < NI; j++) {
            C[i][j] *= beta;
        }
        for (int j = 0; j < NI; j++) {
            for (int k = 0; k < NJ; k++) {
                C[i][j] += alpha * A[i][k] * A[j][k];
            }
        }
    }
}
