/* floydwarshall: shortest paths between all pairs of N nodes, on integers. D holds the distances, none of them below
 * zero, so step k would not change row and column k. A guard leaves them out: the step then reads what it does not write,
 * and its iterations are independent. */

#ifndef N
#define N 32
#endif

void kernel_floydwarshall(int D[restrict N][N])
{
#pragma omp target data map(tofrom: D[0:N][0:N])
    for (int k = 0; k < N; k++) {
#pragma omp target teams distribute parallel for collapse(2) num_teams(4) num_threads(64) schedule(static) firstprivate(k) \
    map(tofrom: D[0:N][0:N])
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < N; j++) {
                if (i != k && j != k) {
                    int through = D[i][k] + D[k][j];
                    if (through < D[i][j]) {
                        D[i][j] = through;
                    }
                }
            }
        }
    }
}
