/* fdtd2d: finite differences in the time domain for a plane electromagnetic wave: a source f on the first row of EY,
 * then EY, EX and the magnetic field HZ, TSTEPS times. */

#ifndef NX
#define NX 24
#endif
#ifndef NY
#define NY 28
#endif
#ifndef TSTEPS
#define TSTEPS 5
#endif

void kernel_fdtd2d(const float f[restrict TSTEPS], float EX[restrict NX][NY], float EY[restrict NX][NY], float HZ[restrict NX][NY])
{
#pragma omp target data map(to: f[0:TSTEPS]) map(tofrom: EX[0:NX][0:NY], EY[0:NX][0:NY], HZ[0:NX][0:NY])
    for (int t = 0; t < TSTEPS; t++) {
#pragma omp target teams distribute parallel for num_teams(1) num_threads(32) schedule(static) \
    map(to: f[0:TSTEPS]) map(tofrom: EY[0:NX][0:NY]) firstprivate(t)
        for (int j = 0; j < NY; j++) {
            EY[0][j] = f[t];
        }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(64) schedule(static) \
    map(to: HZ[0:NX][0:NY]) map(tofrom: EY[0:NX][0:NY])
        for (int i = 1; i < NX; i++) {
            for (int j = 0; j < NY; j++) {
                EY[i][j] -= 0.5f * (HZ[i][j] - HZ[i - 1][j]);
            }
        }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(64) schedule(static) \
    map(to: HZ[0:NX][0:NY]) map(tofrom: EX[0:NX][0:NY])
        for (int i = 0; i < NX; i++) {
            for (int j = 1; j < NY; j++) {
                EX[i][j] -= 0.5f * (HZ[i][j] - HZ[i][j - 1]);
            }
        }
#pragma omp target teams distribute parallel for collapse(2) num_teams(2) num_threads(64) schedule(static) \
    map(to: EX[0:NX][0:NY], EY[0:NX][0:NY]) map(tofrom: HZ[0:NX][0:NY])
        for (int i = 0; i < NX - 1; i++) {
            for (int j = 0; j < NY - 1; j++) {
                HZ[i][j] -= 0.7f * (EX[i][j + 1] - EX[i][j] + EY[i + 1][j] - EY[i][j]);
            }
        }
    }
}
