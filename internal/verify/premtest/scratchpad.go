package premtest

// LargeScratchpad is a function of two kernels, of which the first, with a
// scratchpad of 96 KiB, takes more of it than a kernel can declare, and the second
// does not.
const LargeScratchpad = `
double large(const float x[restrict 12288], float y[restrict 12288], double z[restrict 64])
{
#pragma omp target teams distribute parallel for num_teams(1) num_threads(64) map(to: x[0:12288]) map(tofrom: y[0:12288])
    for (int i = 0; i < 12288; i++)
        y[i] = x[i] * y[i] + 1;
    double most = y[0];
#pragma omp target teams distribute parallel for num_teams(1) num_threads(64) map(tofrom: z[0:64]) reduction(max: most)
    for (int i = 0; i < 64; i++) {
        z[i] = z[i] * 0.5;
        most = z[i] > most ? z[i] : most;
    }
    return most;
}
`
