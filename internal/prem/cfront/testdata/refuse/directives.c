#define N 8
static float A[N], B[N];
#pragma omp declare target // want "directive omp declare target precedes no loop"
void f(int n)
{
  float s = 0;
#pragma omp parallel for // want "OpenMP directive parallel for"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma ivdep // want "pragma ivdep"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target teams distribute parallel for // want "no loop"
  A[0] = 1;
#pragma omp target teams distribute parallel for nowait // want "OpenMP clause nowait"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target teams distribute parallel for schedule(dynamic) // want "schedule(dynamic)"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target teams distribute parallel for collapse(n) // want "collapse(n)"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target teams distribute parallel for num_threads(64 // want "want"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target teams distribute parallel for num_threads(2) num_threads(4) // want "num_threads twice"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target teams distribute parallel for reduction(^: s) // want "reduction operator"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target teams distribute parallel for map(delete: A) // want "map type delete"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target teams distribute parallel for map(to: Z) // want "map of .Z."
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target teams distribute parallel for firstprivate(A) // want "A in a clause is no scalar"
  for (int i = 0; i < N; i++) A[i] = 0;
#pragma omp target data map(A) if(n) // want "OpenMP clause if of target data"
  for (int i = 0; i < N; i++) s += 1;
#pragma omp target teams distribute parallel for
#pragma omp target teams distribute parallel for // want "second directive"
  for (int i = 0; i < N; i++) A[i] = 0;
  {
    s = 1;
#pragma omp barrier // want "omp barrier precedes no loop"
  }
  s = 1 +
#pragma omp atomic // want "omp atomic precedes no loop"
      2;
}
