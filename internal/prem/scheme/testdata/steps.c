/* Loops of the SIMT space and inside it that step by more than one, up and down. */
void steps(const int A[restrict 3 * N][2 * N], int B[restrict 3 * N][2 * N], int c[restrict 3 * N])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(32) map(to: A[0:3*N][0:2*N]) map(tofrom: B[0:3*N][0:2*N])
    for (int i = 3 * N - 1; i >= 0; i -= 3) {
        for (int j = 1; j < 2 * N; j += 2) {
            B[i][j] = A[i][j] + 2 * A[i - 1][j - 1];
        }
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(to: A[0:3*N][0:2*N]) map(tofrom: B[0:3*N][0:2*N], c[0:3*N])
    for (int i = 1; i < 3 * N; i += 3) {
        for (int j = 2 * N - 2; j >= 0; j -= 2) {
            c[i] += A[i][j];
            B[i][j + 1] += A[i][j] - c[i];
        }
        for (int j = 0; j < 2 * N; j += 3) {
            c[i + 1] = c[i] + A[i + 1][j];
        }
    }
}
