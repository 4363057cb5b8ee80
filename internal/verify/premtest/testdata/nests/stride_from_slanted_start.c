/* The start of the inner loop depends on the loop around it, both count in twos, and A8 is read with stride two from a
 * first element that the condition, not the loop, decides. */
void kernel_nest(double A3[restrict 38][37], int A7[restrict 22][38], const int A8[restrict 3])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8)
    for (int i2 = 1; i2 <= 36; i2 += 1) {
        for (int k4 = 3; k4 <= 11; k4 += 2) {
            for (int k6 = -k4 + 1; k6 < 0; k6 += 2) {
                A7[-k6 + 11][i2] = 3 * i2 + 2;
                if (k6 + 2 <= -7) {
                    A7[k6 + 10][i2] = A8[k6 + 10];
                }
            }
            for (int k9 = 1; k9 < 3; k9 += 1) {
                A3[k9][i2 - 1] = 2;
            }
        }
        A3[i2][i2 - 1] = 2;
    }
}
