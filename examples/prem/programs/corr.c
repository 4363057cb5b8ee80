/* corr: correlation matrix C of the NM columns of X, each of NN observations. A column whose deviation is at most eps
 * counts as one of deviation 1. X is centred and scaled in place. The last loop nest is triangular: it computes
 * the part right of the diagonal and mirrors it. */
#include <math.h>

#ifndef NM
#define NM 24
#endif
#ifndef NN
#define NN 32
#endif

void kernel_corr(float eps, float X[restrict NN][NM], float mean[restrict NM], float dev[restrict NM], float C[restrict NM][NM])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) \
    map(to: X[0:NN][0:NM]) map(from: mean[0:NM])
    for (int j = 0; j < NM; j++) {
        float sum = 0.0f;
        for (int i = 0; i < NN; i++) {
            sum += X[i][j];
        }
        mean[j] = sum / (float)NN;
    }
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) firstprivate(eps) \
    map(to: X[0:NN][0:NM], mean[0:NM]) map(from: dev[0:NM])
    for (int j = 0; j < NM; j++) {
        float sum = 0.0f;
        for (int i = 0; i < NN; i++) {
            sum += (X[i][j] - mean[j]) * (X[i][j] - mean[j]);
        }
        float d = sqrtf(sum / (float)NN);
        dev[j] = d <= eps ? 1.0f : d;
    }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(64) schedule(static) \
    map(tofrom: X[0:NN][0:NM]) map(to: mean[0:NM], dev[0:NM])
    for (int i = 0; i < NN; i++) {
        for (int j = 0; j < NM; j++) {
            X[i][j] = (X[i][j] - mean[j]) / (sqrtf((float)NN) * dev[j]);
        }
    }
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) \
    map(to: X[0:NN][0:NM]) map(from: C[0:NM][0:NM])
    for (int j = 0; j < NM; j++) {
        C[j][j] = 1.0f;
        for (int k = j + 1; k < NM; k++) {
            float sum = 0.0f;
            for (int i = 0; i < NN; i++) {
                sum += X[i][j] * X[i][k];
            }
            C[j][k] = sum;
            C[k][j] = sum;
        }
    }
}
