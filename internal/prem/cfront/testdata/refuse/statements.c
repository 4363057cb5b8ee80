#define N 8
static float G[N];
void f(int n, float A[restrict N])
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; i++) {
    while (n > 0) A[i] = 0; // want "while"
    do A[i] = 0; while (n); // want "do"
    switch (n) { case 1: A[i] = 1; } // want "switch"
    if (n) goto out; // want "goto"
    if (n) continue; // want "continue"
    for (int j = 0; j < n; j++) break; // want "break"
    return; // want "return"
    out: A[i] = 1; // want "label"
    float T[4]; // want "local array T"
    T[0] = 1;
    float *q = A; // want "local pointer q"
    static int s; // want "static or extern s"
    volatile int v = 0; // want "volatile v"
    char c = 0; // want "type char"
    A[i]; // want "expression statement that assigns nothing"
    int k;
    for (k = 0; k < n; k++) A[k] = 0; // want "declared outside"
    for (int j = 0; j != n; j++) A[j] = 0; // want "loop condition"
    for (int j = 0; j < n; j *= 2) A[j] = 0; // want "step of loop over j"
    for (int j = 0; j < n; j--) A[j] = 0; // want "step -1 of j under condition <"
    for (int j = 0; j < n; j += k) A[j] = 0; // want "step of loop over j"
    for (unsigned j = 0; j < 4; j++) A[j] = 0; // want "loop variable j: want int or long"
    for (int j = 0, m = 1; j < 4; j++) A[j] = 0; // want "one variable"
    for (int j = 0; ; j++) A[j] = 0; // want "without a condition"
    for (int j = 0; j < 4u; j++) A[j] = 0; // want "bound of type int"
    for (int j = 0; j < 4l * n; j++) A[j] = 0; // want "bound of type int"
  }
}
