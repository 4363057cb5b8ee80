/* Accesses that no box can hold: compatible intervals. */
void unplanned(const int p[restrict N], const int A[restrict N], int B[restrict N], int c[restrict N])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) map(to: p[0:N], A[0:N]) map(from: B[0:N])
    for (int i = 0; i < N; i++) {
        B[i] = A[p[i] % N];
    }
    int sum = 0;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) map(to: p[0:N], A[0:N]) map(tofrom: sum) reduction(+: sum)
    for (int i = 0; i < N; i++) {
        sum += A[p[N - 1 - i] % N] - i;
    }
    c[0] = sum;
}
