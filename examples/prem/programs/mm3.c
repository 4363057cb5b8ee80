/* mm3: three matrix products, G = (A*B)*(C*D), in double precision. Both inner products stay on the device. */

#ifndef NI
#define NI 16
#endif
#ifndef NJ
#define NJ 20
#endif
#ifndef NK
#define NK 24
#endif
#ifndef NL
#define NL 18
#endif
#ifndef NM
#define NM 22
#endif

void kernel_mm3(double E[restrict NI][NJ], const double A[restrict NI][NK], const double B[restrict NK][NJ],
                double F[restrict NJ][NL], const double C[restrict NJ][NM], const double D[restrict NM][NL],
                double G[restrict NI][NL])
{
#pragma omp target data map(alloc: E[0:NI][0:NJ], F[0:NJ][0:NL]) map(to: A[0:NI][0:NK], B[0:NK][0:NJ]) \
    map(to: C[0:NJ][0:NM], D[0:NM][0:NL]) map(from: G[0:NI][0:NL])
    {
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) \
    map(alloc: E[0:NI][0:NJ]) map(to: A[0:NI][0:NK], B[0:NK][0:NJ])
        for (int i = 0; i < NI; i++) {
            for (int j = 0; j < NJ; j++) {
                E[i][j] = 0.0;
                for (int k = 0; k < NK; k++) {
                    E[i][j] += A[i][k] * B[k][j];
                }
            }
        }
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) \
    map(alloc: F[0:NJ][0:NL]) map(to: C[0:NJ][0:NM], D[0:NM][0:NL])
        for (int j = 0; j < NJ; j++) {
            for (int l = 0; l < NL; l++) {
                F[j][l] = 0.0;
                for (int m = 0; m < NM; m++) {
                    F[j][l] += C[j][m] * D[m][l];
                }
            }
        }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(32) schedule(static) \
    map(alloc: E[0:NI][0:NJ], F[0:NJ][0:NL]) map(from: G[0:NI][0:NL])
        for (int i = 0; i < NI; i++) {
            for (int l = 0; l < NL; l++) {
                double sum = 0.0;
                for (int j = 0; j < NJ; j++) {
                    sum += E[i][j] * F[j][l];
                }
                G[i][l] = sum;
            }
        }
    }
}
