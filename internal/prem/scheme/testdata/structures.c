/* Arrays of structures of scalars: members of their own, which share the structure's memory. */
struct cell { float mass; int kind; double heat; };

void structures(struct cell A[restrict N][N], const struct cell B[restrict N], float y[restrict N])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(32) map(tofrom: A[0:N][0:N]) map(to: B[0:N])
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            if (B[j].kind > 40) {
                A[i][j].heat += (double)B[i].mass;
            }
            A[i][j].mass = B[i].mass * B[j].mass;
        }
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) map(tofrom: A[0:N][0:N], y[0:N])
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            y[i] += A[i][j].mass + (float)A[j][i].heat;
            A[i][j].kind = j;
        }
    }
}
