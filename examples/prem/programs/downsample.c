/* downsample: mean of every 2x2 square of A, and its transposition: B[j][i] belongs to the square at A[2*i][2*j]. */

#ifndef NI
#define NI 24
#endif
#ifndef NJ
#define NJ 20
#endif

void kernel_downsample(const float A[restrict 2 * NI][2 * NJ], float B[restrict NJ][NI])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(64) schedule(static) \
    map(to: A[0:2*NI][0:2*NJ]) map(from: B[0:NJ][0:NI])
    for (int i = 0; i < NI; i++) {
        for (int j = 0; j < NJ; j++) {
            B[j][i] = 0.25f * (A[2 * i][2 * j] + A[2 * i][2 * j + 1] + A[2 * i + 1][2 * j] + A[2 * i + 1][2 * j + 1]);
        }
    }
}
