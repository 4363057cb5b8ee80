/* Arrays of structures, structures by value, and structures that are constants or locals. */
#define N 16
struct particle { float mass; double x, v; int kind; };
typedef struct { int lo; long hi; } range;
typedef struct particle point;
static const range whole = {1, .hi = N - 2};
static point G[2][N];

void f(int n, struct particle P[restrict n], const point *restrict Q, range r, float out[restrict N])
{
    const range part = {r.lo};
    struct particle rest = {.v = 0.5, .kind = n};
#pragma omp target data map(tofrom: P[0:n]) map(to: Q[0:n])
    {
#pragma omp target teams distribute parallel for num_teams(2) num_threads(32) map(tofrom: P[0:n], G) map(to: Q[0:n]) map(to: part) firstprivate(r, rest)
        for (long i = whole.lo; i < r.hi; i++) {
            struct particle p = Q[i];
            P[i].x += P[i].v * 0.1;
            P[i].kind = p.kind + part.lo + (int)whole.hi;
            G[1][i] = P[i];
            G[0][i] = p;
            p = rest;
            out[i] = (float)((P[i]).x) + p.mass;
        }
    }
    P[0] = P[1];
}
