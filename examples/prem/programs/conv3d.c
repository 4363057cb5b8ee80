/* conv3d: three-dimensional convolution with a 3x3x3 mask W. B[i][j][k] is the sum of
 * W[p][q][r] * A[i+p-1][j+q-1][k+r-1]; the border of B is left alone. */

#ifndef NI
#define NI 12
#endif
#ifndef NJ
#define NJ 14
#endif
#ifndef NK
#define NK 16
#endif

void kernel_conv3d(const float W[restrict 3][3][3], const float A[restrict NI][NJ][NK], float B[restrict NI][NJ][NK])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(64) schedule(static) \
    map(to: W[0:3][0:3][0:3], A[0:NI][0:NJ][0:NK]) map(tofrom: B[0:NI][0:NJ][0:NK])
    for (int i = 1; i < NI - 1; i++) {
        for (int j = 1; j < NJ - 1; j++) {
            for (int k = 1; k < NK - 1; k++) {
                float sum = 0.0f;
                for (int p = 0; p < 3; p++) {
                    for (int q = 0; q < 3; q++) {
                        for (int r = 0; r < 3; r++) {
                            sum += W[p][q][r] * A[i + p - 1][j + q - 1][k + r - 1];
                        }
                    }
                }
                B[i][j][k] = sum;
            }
        }
    }
}
