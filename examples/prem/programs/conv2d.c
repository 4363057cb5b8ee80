/* conv2d: two-dimensional convolution with a 3x3 mask W. B[i][j] is the sum of W[p][q] * A[i+p-1][j+q-1]; the
 * border of B is left alone. */

#ifndef NI
#define NI 40
#endif
#ifndef NJ
#define NJ 36
#endif

void kernel_conv2d(const float W[restrict 3][3], const float A[restrict NI][NJ], float B[restrict NI][NJ])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(64) schedule(static) \
    map(to: W[0:3][0:3], A[0:NI][0:NJ]) map(tofrom: B[0:NI][0:NJ])
    for (int i = 1; i < NI - 1; i++) {
        for (int j = 1; j < NJ - 1; j++) {
            float sum = 0.0f;
            for (int p = 0; p < 3; p++) {
                for (int q = 0; q < 3; q++) {
                    sum += W[p][q] * A[i + p - 1][j + q - 1];
                }
            }
            B[i][j] = sum;
        }
    }
}
