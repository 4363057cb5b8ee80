/* doitgen: product of a three-dimensional array with a matrix along its last dimension, in place:
 * A[r][q][p] becomes the sum over s of A[r][q][s] * B[s][p]. */

#ifndef NR
#define NR 10
#endif
#ifndef NQ
#define NQ 12
#endif
#ifndef NP
#define NP 16
#endif

void kernel_doitgen(float A[restrict NR][NQ][NP], const float B[restrict NP][NP], float S[restrict NR][NQ][NP])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(32) schedule(static) \
    map(tofrom: A[0:NR][0:NQ][0:NP]) map(to: B[0:NP][0:NP]) map(alloc: S[0:NR][0:NQ][0:NP])
    for (int r = 0; r < NR; r++) {
        for (int q = 0; q < NQ; q++) {
            for (int p = 0; p < NP; p++) {
                S[r][q][p] = 0.0f;
                for (int s = 0; s < NP; s++) {
                    S[r][q][p] += A[r][q][s] * B[s][p];
                }
            }
            for (int p = 0; p < NP; p++) {
                A[r][q][p] = S[r][q][p];
            }
        }
    }
}
