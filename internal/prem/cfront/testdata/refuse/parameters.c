#define K _Pragma
float *f(int n) // want "function f, whose result is of type pointer, is not supported"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++) { }
}
void g(float *A, float *B) // want "parameter A may point into B, and A is written"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 4; i++) A[i] = B[i];
}
void h(float A[4], const float B[4]) // want "parameter A may point into B"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 4; i++) A[i] = B[i];
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
