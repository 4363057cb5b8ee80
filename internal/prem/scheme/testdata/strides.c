/* A loop that steps by two begins where another one that does so stands. */
void strides(float W[restrict N][40], const float R[restrict 3 * N])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) map(tofrom: W[0:N][0:40]) map(to: R[0:3*N])
    for (int i = 0; i < N; i++) {
        for (int j = 2; j < 17; j += 2) {
            for (int k = j; k >= 2; k -= 2) {
                W[i][k + 1] += R[i] - 0.5f * W[i][2 * j];
            }
        }
    }
}
