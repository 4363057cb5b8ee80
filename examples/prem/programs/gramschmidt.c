/* gramschmidt: QR decomposition of A by the modified Gram-Schmidt process: A = Q*R with orthonormal columns in Q. The columns
 * of A right of the one in hand are reduced in place, so the last loop's trip count depends on k. */
#include <math.h>

#ifndef NI
#define NI 28
#endif
#ifndef NJ
#define NJ 20
#endif

void kernel_gramschmidt(float A[restrict NI][NJ], float R[restrict NJ][NJ], float Q[restrict NI][NJ])
{
    for (int k = 0; k < NJ; k++) {
        float square = 0.0f;
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(k) \
    map(to: A[0:NI][0:NJ]) map(tofrom: square) reduction(+: square)
        for (int i = 0; i < NI; i++) {
            square += A[i][k] * A[i][k];
        }
        float norm = sqrtf(square);
        R[k][k] = norm;
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(k, norm) \
    map(to: A[0:NI][0:NJ]) map(tofrom: Q[0:NI][0:NJ])
        for (int i = 0; i < NI; i++) {
            Q[i][k] = A[i][k] / norm;
        }
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(k) \
    map(to: Q[0:NI][0:NJ]) map(tofrom: A[0:NI][0:NJ], R[0:NJ][0:NJ])
        for (int j = k + 1; j < NJ; j++) {
            float sum = 0.0f;
            for (int i = 0; i < NI; i++) {
                sum += Q[i][k] * A[i][j];
            }
            R[k][j] = sum;
            for (int i = 0; i < NI; i++) {
                A[i][j] -= Q[i][k] * sum;
            }
        }
    }
}
