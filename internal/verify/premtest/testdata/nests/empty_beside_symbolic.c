/* The space is empty, but the number of iterations of the outer loop is not known. */
void kernel_nest(int n, float A[restrict 12])
{
#pragma omp target teams distribute parallel for collapse(2) num_teams(1) num_threads(6)
    for (int i = 3; i <= n; i++) {
        for (int j = 1; j < 1; j++) {
            A[i + 12 * j - 15] = 2;
        }
    }
}
