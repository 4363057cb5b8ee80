/* Clauses that say whose a variable is; pointers whose overlap changes nothing. */
static float S[8];
void f(int n, const float *a, const float b[], float *restrict c)
{
    float t, u = 1;
    long w;
#pragma omp target teams distribute parallel for collapse(2) private(t, w) shared(S) default(none) firstprivate(u) shared(n, a, b) map(to: a[0:n], b[0:n]) map(from: c[0:n])
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < 1; j++) {
            t = a[i] * b[i];
            w = i;
            c[w] = t + u + S[w % 8];
        }
    }
#pragma omp target teams distribute parallel for default(shared) private(t) map(tofrom: c[0:n])
    for (int i = 0; i < n; i++) {
        t = c[i];
        c[i] = t;
    }
}
void alone(float *a)
{
#pragma omp target teams distribute parallel for map(tofrom: a[0:8])
    for (int i = 0; i < 8; i++) a[i] += 1;
}
