/* Spaces without iterations, bodies without accesses or without anything, loops that end before they begin. */
void corners(int n, double y[restrict N])
{
    double sum = 0.0;
    long count = 0;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) map(tofrom: sum, count) reduction(+: sum, count)
    for (int i = N - 1; i >= 0; i--) {
        double half = 0.5;
        for (int j = 0; j < i; j += 2) {
            sum += half * (double)j;
        }
        count += 1;
    }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(8) map(tofrom: y[0:N])
    for (int i = 3; i < 3; i++) {
        for (int j = 0; j < N; j++) {
            y[j] = 1.0;
        }
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) firstprivate(n) map(tofrom: y[0:N])
    for (int i = n; i < 5; i++) {
        y[0] = 2.0;
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) map(tofrom: y[0:N])
    for (int i = 0; i < N; i++) {
    }
#pragma omp target teams distribute parallel for num_teams(4) num_threads(8) firstprivate(sum, count) map(tofrom: y[0:N])
    for (int i = 0; i < N; i++) {
        for (int j = i; j < i; j++) {
            y[j] = 3.0;
        }
        y[i] += sum / (double)count;
    }
}
