int count(int n, const float A[restrict n])
{
  if (n <= 0)
    return -1;
  double sum = 0;
#pragma omp target teams distribute parallel for reduction(+: sum)
  for (int i = 0; i < n; i++)
    sum += A[i];
  for (int k = 0; k < 4; k++)
    if (sum > 10 * k)
      return sum;
  return n * 2l;
}
static const float half = 0.5f;
extern float last(int n, double B[restrict n]);
float last(int n, double B[restrict n])
{
  if (n > 5) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < n; i++)
      B[i] = i;
    return B[n - 1];
  } else {
    return half;
  }
}
void none(int n, double B[restrict n])
{
  if (n > 5)
    return;
#pragma omp target teams distribute parallel for
  for (int i = 0; i < n; i++)
    B[i] = i;
  return;
}
