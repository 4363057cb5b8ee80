static float S[8];
void f(int n, float *a, float b[restrict 8])
{
  float t = 0;
  const float k = 1;
#pragma omp target teams distribute parallel for nowait // want "OpenMP clause nowait: the host waits"
  for (int i = 0; i < 8; i++) b[i] = 0;
#pragma omp target teams distribute parallel for private(n) // want "private(n): want a local"
  for (int i = 0; i < 8; i++) b[i] = 0;
#pragma omp target teams distribute parallel for private(k) // want "private(k): want a local"
  for (int i = 0; i < 8; i++) b[i] = 0;
#pragma omp target teams distribute parallel for private(b) // want "private(b): want a variable of scalar type"
  for (int i = 0; i < 8; i++) b[i] = 0;
#pragma omp target teams distribute parallel for shared(zz) // want "shared(zz): want a variable or an array"
  for (int i = 0; i < 8; i++) b[i] = 0;
#pragma omp target teams distribute parallel for private(t) firstprivate(t) // want "t stands in two clauses"
  for (int i = 0; i < 8; i++) b[i] = 0;
#pragma omp target teams distribute parallel for private(t, t) // want "t stands in two clauses"
  for (int i = 0; i < 8; i++) b[i] = 0;
#pragma omp target teams distribute parallel for default(none) firstprivate(t)
  for (int i = 0; i < 8; i++) b[i] = t; // want "default(none): b stands in no clause"
#pragma omp target teams distribute parallel for default(none) shared(b)
  for (int i = 0; i < n; i++) b[i] = 0; // want "default(none): n stands in no clause"
#pragma omp target teams distribute parallel for default(private) // want "default(private): want shared or none"
  for (int i = 0; i < 8; i++) b[i] = 0;
#pragma omp target teams distribute parallel for default(none) default(none) // want "default twice"
  for (int i = 0; i < 8; i++) b[i] = 0;
#pragma omp target teams distribute parallel for private(t // want "want"
  for (int i = 0; i < 8; i++) b[i] = 0;
}
