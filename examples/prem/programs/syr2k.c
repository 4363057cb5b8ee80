/* syr2k: symmetric update of rank 2k, C = alpha*A*transpose(B) + alpha*B*transpose(A) + beta*C, all of C. */

#ifndef NI
#define NI 24
#endif
#ifndef NJ
#define NJ 20
#endif

void kernel_syr2k(float alpha, float beta, const float A[restrict NI][NJ], const float B[restrict NI][NJ], float C[restrict NI][NI])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(32) schedule(static) \
    firstprivate(alpha, beta) map(to: A[0:NI][0:NJ], B[0:NI][0:NJ]) map(tofrom: C[0:NI][0:NI])
    for (int i = 0; i < NI; i++) {
        for (int j = 0; j < NI; j++) {
            float sum = C[i][j] * beta;
            for (int k = 0; k < NJ; k++) {
                sum += alpha * A[i][k] * B[j][k];
                sum += alpha * B[i][k] * A[j][k];
            }
            C[i][j] = sum;
        }
    }
}
