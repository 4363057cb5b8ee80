/* gemver: vector products with a matrix of rank-one updates, in double precision: A = A + u1*transpose(v1) +
 * u2*transpose(v2), x = x + beta*transpose(A)*y + z, w = alpha*A*x. */

#ifndef N
#define N 36
#endif

void kernel_gemver(double alpha, double beta, double A[restrict N][N], const double u1[restrict N], const double v1[restrict N],
                   const double u2[restrict N], const double v2[restrict N], double x[restrict N], const double y[restrict N],
                   const double z[restrict N], double w[restrict N])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(64) schedule(static) \
    map(tofrom: A[0:N][0:N]) map(to: u1[0:N], v1[0:N], u2[0:N], v2[0:N])
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            A[i][j] = A[i][j] + u1[i] * v1[j] + u2[i] * v2[j];
        }
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) firstprivate(beta) \
    map(to: A[0:N][0:N], y[0:N], z[0:N]) map(tofrom: x[0:N])
    for (int i = 0; i < N; i++) {
        double sum = x[i];
        for (int j = 0; j < N; j++) {
            sum += beta * A[j][i] * y[j];
        }
        x[i] = sum + z[i];
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) firstprivate(alpha) \
    map(to: A[0:N][0:N], x[0:N]) map(from: w[0:N])
    for (int i = 0; i < N; i++) {
        double sum = 0.0;
        for (int j = 0; j < N; j++) {
            sum += alpha * A[i][j] * x[j];
        }
        w[i] = sum;
    }
}
