/* Bounds that depend on the thread, upward and downward. */
void triangle(const float A[restrict N][N], float B[restrict N][N], float s[restrict N])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) map(to: A[0:N][0:N]) map(tofrom: B[0:N][0:N], s[0:N])
    for (int i = 0; i < N; i++) {
        float sum = 0.0f;
        for (int j = i; j < N; j++) {
            sum += A[i][j] * A[j][i];
        }
        s[i] = sum;
        for (int j = N - 1; j > i; j--) {
            B[i][j] = sum + A[i][j];
        }
        for (int j = i; j >= 0; j--) {
            B[i][j] -= A[j][i];
        }
        for (int j = 0; j <= i; j++) {
            s[i] += B[i][j];
        }
    }
}
