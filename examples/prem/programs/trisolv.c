/* trisolv: forward substitution L*X = B for NR right-hand sides, a column of X each. The innermost trip count depends on i. */

#ifndef N
#define N 28
#endif
#ifndef NR
#define NR 40
#endif

void kernel_trisolv(const float L[restrict N][N], const float B[restrict N][NR], float X[restrict N][NR])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) \
    map(to: L[0:N][0:N], B[0:N][0:NR]) map(from: X[0:N][0:NR])
    for (int c = 0; c < NR; c++) {
        for (int i = 0; i < N; i++) {
            float rest = B[i][c];
            for (int j = 0; j < i; j++) {
                rest -= L[i][j] * X[j][c];
            }
            X[i][c] = rest / L[i][i];
        }
    }
}
