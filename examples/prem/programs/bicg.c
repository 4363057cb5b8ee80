/* bicg: the two products of the biconjugate gradient method, s = transpose(A) * r and q = A * p. */

#ifndef NX
#define NX 44
#endif
#ifndef NY
#define NY 36
#endif

void kernel_bicg(const float A[restrict NX][NY], const float r[restrict NX], float s[restrict NY],
                 const float p[restrict NY], float q[restrict NX])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) \
    map(to: A[0:NX][0:NY], r[0:NX]) map(from: s[0:NY])
    for (int j = 0; j < NY; j++) {
        s[j] = 0.0f;
        for (int i = 0; i < NX; i++) {
            s[j] += r[i] * A[i][j];
        }
    }
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) schedule(static) \
    map(to: A[0:NX][0:NY], p[0:NY]) map(from: q[0:NX])
    for (int i = 0; i < NX; i++) {
        q[i] = 0.0f;
        for (int j = 0; j < NY; j++) {
            q[i] += A[i][j] * p[j];
        }
    }
}
