static float S[8];
struct pair { float a, b; };
static struct pair T[8];
void f(int n, float *a, const float *b) // want "parameter a may point into b, and a is written"
{
#pragma omp target teams distribute parallel for map(tofrom: a[0:8]) map(to: b[0:8])
  for (int i = 0; i < 8; i++) a[i] = b[i];
}
void g(float a[4], float *b, float *restrict c) // want "parameter a may point into b, and a is written"
{
#pragma omp target teams distribute parallel for map(tofrom: b[0:4])
  for (int i = 0; i < 4; i++) c[i] = b[i];
  a[0] = 1;
  c[0] = 2;
}
void h(float a[8]) // want "parameter a may point into S, and S is written"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) S[i] = a[i];
}
void k(float a[8]) // want "parameter a may point into T, and a is written"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) a[i] = T[i].b;
}
