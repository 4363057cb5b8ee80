/* A store that depends on data, of an element that a later statement writes in any case: the box is exact and needs no
 * marks. */
void kernel_nest(double A4[restrict 8][4][6], const double A6[restrict 14][1], const int A7[restrict 5])
{
#pragma omp target teams distribute parallel for collapse(3) num_teams(4) num_threads(2)
    for (int i1 = 6; i1 > 0; i1 -= 1) {
        for (int i2 = 2; i2 < 5; i2 += 2) {
            for (int i3 = 1; i3 < 6; i3 += 1) {
                for (int k5 = 0; k5 < 4; k5 += 1) {
                    if (A6[3 * i3 - 3][0] < A7[k5 + 1]) {
                        A4[i1][i2 - 2][i3] = 2;
                    }
                }
                A4[i1][i2 - 2][i3] = 2;
            }
        }
    }
}
