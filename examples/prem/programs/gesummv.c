/* gesummv: sum of two matrix-vector products, y = alpha*A*x + beta*B*x. */

#ifndef N
#define N 48
#endif

void kernel_gesummv(float alpha, float beta, const float A[restrict N][N], const float B[restrict N][N],
                    const float x[restrict N], float y[restrict N])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) firstprivate(alpha, beta) \
    map(to: A[0:N][0:N], B[0:N][0:N], x[0:N]) map(from: y[0:N])
    for (int i = 0; i < N; i++) {
        float first = 0.0f, second = 0.0f;
        for (int j = 0; j < N; j++) {
            first += A[i][j] * x[j];
            second += B[i][j] * x[j];
        }
        y[i] = alpha * first + beta * second;
    }
}
