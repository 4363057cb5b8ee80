static float G[8];
int falls(int n) // want "function falls can end without returning a value, expected a return statement of type int at its end"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) G[i] = 0;
  if (n > 3) { return 1; } else if (n > 2) return 2;
}
double branches(int n)
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) G[i] = 0;
  if (n) { return 1; } else { { return 2; } }
}
long loops(int n) // want "function loops can end without"
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < 8; i++) G[i] = 0;
  for (int i = 0; i < n; i++) return i;
}
