/* atax: y = transpose(A) * (A * x). */

#ifndef NX
#define NX 40
#endif
#ifndef NY
#define NY 48
#endif

void kernel_atax(const float A[restrict NX][NY], const float x[restrict NY], float y[restrict NY], float t[restrict NX])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) \
    map(to: A[0:NX][0:NY], x[0:NY]) map(from: t[0:NX])
    for (int i = 0; i < NX; i++) {
        float sum = 0.0f;
        for (int j = 0; j < NY; j++) {
            sum += A[i][j] * x[j];
        }
        t[i] = sum;
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) \
    map(to: A[0:NX][0:NY], t[0:NX]) map(from: y[0:NY])
    for (int j = 0; j < NY; j++) {
        float sum = 0.0f;
        for (int i = 0; i < NX; i++) {
            sum += A[i][j] * t[i];
        }
        y[j] = sum;
    }
}
