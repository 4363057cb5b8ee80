/* mm2: two matrix products in a row, D = alpha*A*B*C + beta*D. The product of the first two stays on the device. */

#ifndef NI
#define NI 20
#endif
#ifndef NJ
#define NJ 24
#endif
#ifndef NK
#define NK 28
#endif
#ifndef NL
#define NL 16
#endif

void kernel_mm2(float alpha, float beta, float T[restrict NI][NJ], const float A[restrict NI][NK],
                const float B[restrict NK][NJ], const float C[restrict NJ][NL], float D[restrict NI][NL])
{
#pragma omp target data map(alloc: T[0:NI][0:NJ]) map(to: A[0:NI][0:NK], B[0:NK][0:NJ], C[0:NJ][0:NL]) \
    map(tofrom: D[0:NI][0:NL])
    {
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(32) schedule(static) \
    firstprivate(alpha) map(alloc: T[0:NI][0:NJ]) map(to: A[0:NI][0:NK], B[0:NK][0:NJ])
        for (int i = 0; i < NI; i++) {
            for (int j = 0; j < NJ; j++) {
                float sum = 0.0f;
                for (int k = 0; k < NK; k++) {
                    sum += alpha * A[i][k] * B[k][j];
                }
                T[i][j] = sum;
            }
        }
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(32) schedule(static) \
    firstprivate(beta) map(alloc: T[0:NI][0:NJ]) map(to: C[0:NJ][0:NL]) map(tofrom: D[0:NI][0:NL])
        for (int i = 0; i < NI; i++) {
            for (int l = 0; l < NL; l++) {
                float sum = beta * D[i][l];
                for (int j = 0; j < NJ; j++) {
                    sum += T[i][j] * C[j][l];
                }
                D[i][l] = sum;
            }
        }
    }
}
