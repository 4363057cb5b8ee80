#include <math.h>
/* Reductions of every operator and type beside ordinary results. */
void reductions(const float x[restrict N], const int q[restrict N], const double d[restrict N][5], float f[restrict 4], int n[restrict 4], double e[restrict 4])
{
    float sum = 1.0f, least = x[0];
    int product = 1, most = -5;
    double total = 0.5, high = d[0][0];
    long count = 3;
#pragma omp target teams distribute parallel for num_teams(3) num_threads(16) map(to: x[0:N], q[0:N]) map(tofrom: f[0:4], sum, least, product, most, count) reduction(+: sum, count) reduction(min: least) reduction(*: product) reduction(max: most)
    for (int i = 0; i < N; i++) {
        sum += x[i];
        least = x[i] < least ? x[i] : least;
        if (i < 20) {
            product *= q[i] % 3 == 0 ? 1 : q[i] % 3;
        }
        most = q[i] > most ? q[i] : most;
        count += (long)q[i];
    }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(32) map(to: d[0:N][0:5]) map(tofrom: total, high) reduction(+: total) reduction(max: high)
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < 5; j++) {
            total += d[i][j];
            high = fmax(high, d[i][j]);
        }
    }
    f[0] = sum;
    f[1] = least;
    n[0] = product;
    n[1] = most;
    n[2] = (int)count;
    e[0] = total;
    e[1] = high;
}
