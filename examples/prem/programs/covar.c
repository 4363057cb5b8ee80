/* covar: covariance matrix C of the NM columns of X, each of NN observations, in double precision. X is centred in place. */

#ifndef NM
#define NM 20
#endif
#ifndef NN
#define NN 28
#endif

void kernel_covar(double X[restrict NN][NM], double mean[restrict NM], double C[restrict NM][NM])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) \
    map(to: X[0:NN][0:NM]) map(from: mean[0:NM])
    for (int j = 0; j < NM; j++) {
        mean[j] = 0.0;
        for (int i = 0; i < NN; i++) {
            mean[j] += X[i][j];
        }
        mean[j] /= (double)NN;
    }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(64) schedule(static) \
    map(tofrom: X[0:NN][0:NM]) map(to: mean[0:NM])
    for (int i = 0; i < NN; i++) {
        for (int j = 0; j < NM; j++) {
            X[i][j] -= mean[j];
        }
    }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(64) schedule(static) \
    map(to: X[0:NN][0:NM]) map(from: C[0:NM][0:NM])
    for (int j = 0; j < NM; j++) {
        for (int k = 0; k < NM; k++) {
            double sum = 0.0;
            for (int i = 0; i < NN; i++) {
                sum += X[i][j] * X[i][k];
            }
            C[j][k] = sum / (double)(NN - 1);
        }
    }
}
