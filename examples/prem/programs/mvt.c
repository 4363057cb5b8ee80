/* mvt: two matrix-vector products, x1 = x1 + A*y1 and x2 = x2 + transpose(A)*y2. */

#ifndef N
#define N 52
#endif

void kernel_mvt(const float A[restrict N][N], float x1[restrict N], const float y1[restrict N], float x2[restrict N],
                const float y2[restrict N])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) \
    map(to: A[0:N][0:N], y1[0:N]) map(tofrom: x1[0:N])
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            x1[i] += A[i][j] * y1[j];
        }
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) \
    map(to: A[0:N][0:N], y2[0:N]) map(tofrom: x2[0:N])
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            x2[i] += A[j][i] * y2[j];
        }
    }
}
