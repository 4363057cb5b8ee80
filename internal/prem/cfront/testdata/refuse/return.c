static float G[8];
struct pair { int a, b; };
struct pair whole(void) // want "whose result is of type struct, is not supported"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) G[i] = 0;
}
char narrow(void) // want "whose result is of type char, is not supported"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) G[i] = 0;
  return 1;
}
int many(int n, ...) // want "function many: want a prototype"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) G[i] = 0;
  return 1;
}
int old(n) int n; // want "function old: want a prototype"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) G[i] = 0;
  return n;
}
int inside(int n)
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) {
    if (i == n) return 1; // want "return in a target loop is not supported"
  }
#pragma omp target data map(tofrom: G)
  {
    if (n) return 2; // want "return in a target data region, expected it after the region"
  }
  return; // want "return without a value in a function that returns int"
}
void nothing(int n)
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) G[i] = 0;
  if (n) return;
  return n; // want "return of a value in a function that returns nothing"
}
long early(int n)
{
  if (n) {
#pragma omp target teams distribute parallel for
    for (int i = 0; i < 8; i++) G[i] = 0;
  } else
    return 1;
  return
#pragma omp target teams distribute parallel for // want "precedes no loop"
    n;
}
