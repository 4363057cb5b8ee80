static float A[8];
static int L[8];
void f(int n, float *restrict B, const float C[restrict 8])
{
  int m = 4;
  float s = 0;
  n = 3; // want "assignment to parameter n"
  B[0] = 1; // want "unknown bound: B has no extent"
#pragma omp target teams distribute parallel for
  for (int i = 0; i < m; i++) A[i] = 0; // want "unknown bound: bound m depends on local m"
#pragma omp target teams distribute parallel for
  for (int i = 0; i < L[0]; i++) A[i] = 0; // want "depends on L.0."
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) B[i] = 0; // want "unknown bound: B needs a map clause with a section"
#pragma omp target teams distribute parallel for map(to: A)
  for (int i = 0; i < n; i++) A[i] = 0; // want "maps only .to."
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) s += 1; // want "kernel assigns s"
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) i = 4; // want "assignment to loop variable i"
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < n; i++) { A[i] = 0; for (int j = 0; j < n; j++) A[j] = 0; } // want "is not one loop"
#pragma omp target teams distribute parallel for collapse(2)
  for (int i = 0; i < n; i++) for (int j = i; j < n; j++) A[j] = 0; // want "bound of j depends on i"
#pragma omp target teams distribute parallel for num_threads(0) // want "num_threads of 0"
  for (int i = 0; i < n; i++) L[i] = C[i];
#pragma omp target teams distribute parallel for map(A) map(to: A[0:8]) // want "A stands in two clauses"
  for (int i = 0; i < n; i++) L[i] = A[i];
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) {
#pragma omp target teams distribute parallel for // want "kernel inside a kernel"
    for (int j = 0; j < n; j++) A[j] = 0;
  }
#pragma omp target data map(A)
  { A[0] = 1; } // want "host code uses A"
}
