/* Scalars that live through several intervals, in blocks and in walked loops; outer host values. */
void locals(double scale, const double A[restrict N][N], const double B[restrict N][N], double C[restrict N][N], double t[restrict N])
{
    for (int r = 0; r < 2; r++) {
        double twice = 2.0 * scale + (double)r;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(8) firstprivate(twice, r) map(to: A[0:N][0:N], B[0:N][0:N]) map(tofrom: C[0:N][0:N], t[0:N])
        for (int i = 0; i < N; i++) {
            double total = 0.0, bias;
            bias = twice * scale;
            for (int j = 0; j < N; j++) {
                double sum = bias;
                int parity = j % 2;
                for (int k = 0; k < N; k++) {
                    sum += A[i][k] * B[k][j];
                }
                {
                    double half = sum / 2.0;
                    C[i][j] = parity ? half : sum;
                    total += half;
                }
            }
            t[i] += total - (double)r;
        }
    }
}
