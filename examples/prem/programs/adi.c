/* adi: alternating-direction implicit steps of the heat equation on a square with a fixed border. Each half step
 * solves one tridiagonal system per column, then per row, by elimination (P, Q) and back substitution (a loop
 * that counts down). a is the implicit and the explicit weight of both half steps. */

#ifndef N
#define N 24
#endif
#ifndef TSTEPS
#define TSTEPS 4
#endif

void kernel_adi(double a, double U[restrict N][N], double V[restrict N][N], double P[restrict N][N], double Q[restrict N][N])
{
    for (int t = 0; t < TSTEPS; t++) {
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(a) \
    map(to: U[0:N][0:N]) map(tofrom: V[0:N][0:N], P[0:N][0:N], Q[0:N][0:N])
        for (int j = 1; j < N - 1; j++) {
            P[0][j] = 0.0;
            Q[0][j] = U[0][j];
            for (int i = 1; i < N - 1; i++) {
                double pivot = 1.0 + 2.0 * a - a * P[i - 1][j];
                double rhs = (1.0 - 2.0 * a) * U[i][j] + a * (U[i][j - 1] + U[i][j + 1]);
                P[i][j] = a / pivot;
                Q[i][j] = (rhs + a * Q[i - 1][j]) / pivot;
            }
            V[N - 1][j] = U[N - 1][j];
            for (int i = N - 2; i > 0; i--) {
                V[i][j] = P[i][j] * V[i + 1][j] + Q[i][j];
            }
            V[0][j] = U[0][j];
        }
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(a) \
    map(to: V[0:N][0:N]) map(tofrom: U[0:N][0:N], P[0:N][0:N], Q[0:N][0:N])
        for (int i = 1; i < N - 1; i++) {
            P[i][0] = 0.0;
            Q[i][0] = U[i][0];
            for (int j = 1; j < N - 1; j++) {
                double pivot = 1.0 + 2.0 * a - a * P[i][j - 1];
                double rhs = (1.0 - 2.0 * a) * V[i][j] + a * (V[i - 1][j] + V[i + 1][j]);
                P[i][j] = a / pivot;
                Q[i][j] = (rhs + a * Q[i][j - 1]) / pivot;
            }
            for (int j = N - 2; j > 0; j--) {
                U[i][j] = P[i][j] * U[i][j + 1] + Q[i][j];
            }
        }
    }
}
