#define K _Pragma
int f(int n) // want "returns void"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) { }
}
void g(float *A) // want "parameter A may alias others"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 4; i++) A[i] = 0;
}
void h(float A[4]) // want "parameter A may alias others"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 4; i++) A[i] = 0;
}
void i(float **restrict A) // want "pointer to pointer"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 4; i++) A[i][0] = 0;
}
void j(short s) // want "type short"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 4; i++) { }
}
