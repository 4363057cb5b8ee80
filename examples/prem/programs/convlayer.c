/* convlayer: a layer of a convolutional network with its bias and rectifier: NB images of NC channels, NF filters of 3x3 and
 * all channels, on arrays of four dimensions. */

#ifndef NB
#define NB 2
#endif
#ifndef NC
#define NC 3
#endif
#ifndef NF
#define NF 4
#endif
#ifndef NY
#define NY 12
#endif
#ifndef NX
#define NX 14
#endif

void kernel_convlayer(const float IN[restrict NB][NC][NY][NX], const float W[restrict NF][NC][3][3], const float bias[restrict NF],
                      float OUT[restrict NB][NF][NY - 2][NX - 2])
{
#pragma omp target teams distribute parallel for collapse(3) num_teams(4) num_threads(32) schedule(static) \
    map(to: IN[0:NB][0:NC][0:NY][0:NX], W[0:NF][0:NC][0:3][0:3], bias[0:NF]) map(from: OUT[0:NB][0:NF][0:NY-2][0:NX-2])
    for (int b = 0; b < NB; b++) {
        for (int f = 0; f < NF; f++) {
            for (int y = 0; y < NY - 2; y++) {
                for (int x = 0; x < NX - 2; x++) {
                    float sum = bias[f];
                    for (int c = 0; c < NC; c++) {
                        for (int p = 0; p < 3; p++) {
                            for (int q = 0; q < 3; q++) {
                                sum += IN[b][c][y + p][x + q] * W[f][c][p][q];
                            }
                        }
                    }
                    OUT[b][f][y][x] = sum > 0.0f ? sum : 0.0f;
                }
            }
        }
    }
}
