/* The rows 2*i and 2*i + 1 of A have no element in common, but with tiles wider than the loop is long their boxes hold
 * every row, and SDMA has to load what lies in both once. */
void kernel_nest(const float A[restrict 9][9][11], float B[restrict 4])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(64)
    for (int i = 3; i > -1; i -= 1) {
        B[i] = A[i][2 * i][-2 * i + 7] + A[2 * i + 2][2 * i + 1][i + 7];
    }
}
