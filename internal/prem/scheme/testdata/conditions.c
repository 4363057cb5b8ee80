/* Conditions on data, on loop variables, in statements and in expressions. */
void conditions(int limit, const int A[restrict N], const int B[restrict N][N], int C[restrict N][N], int d[restrict N])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) firstprivate(limit) map(to: A[0:N], B[0:N][0:N]) map(tofrom: C[0:N][0:N], d[0:N])
    for (int i = 0; i < N; i++) {
        int best = i > 0 ? A[i - 1] : A[i];
        if (A[i] > limit || i + 1 < N && A[i + 1] > limit) {
            for (int j = 0; j < N; j++) {
                if (j != i) {
                    C[i][j] = B[i][j] > best ? B[j][i] : B[i][j];
                } else {
                    C[i][j] += best;
                }
            }
            d[i] = best;
        } else if (i > 2) {
            d[i] = A[i - 2] + C[i][i - 2];
        }
        if (i % 2 == 0 && A[i] < 2 * limit) {
            C[i][0] = d[i];
        }
    }
}
