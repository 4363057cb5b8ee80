#define N 8
struct pair { float a, b; };
static struct pair S[N];
static float G[N];
static int plain; // want "scalar plain of file scope"
static float I[2] = {1, 2}; // want "initialiser of array I"
float sqrtf(float);
float user(float x) { return x; }
void f(int n, float A[restrict N][N], float B[restrict N])
{
#pragma omp target teams distribute parallel for
  for (int i = 0; i < N; i++) {
    B[i] = user(B[i]); // want "call of user"
    user(1); // want "call of user as a statement"
    B[i] = sqrtf(B[i]); // want "call of sqrtf"
    B[i] = *B; // want "pointer dereference"
    *(B + i) = 1; // want "pointer dereference"
    B[i] = (B + 1)[i]; // want "pointer arithmetic"
    B[i] = A[i][0] + *A[i]; // want "pointer dereference"
    B[i] = (&B[0])[i]; // want "pointer arithmetic"
    B[i] = (&S[i])->a; // want "operator ->"
    B[i] = sizeof(float); // want "sizeof"
    B[i] = 'a'; // want "character constant"
    B[i] = (n, 1); // want "comma operator"
    B[i] = n++; // want "inside an expression"
    int k = G[i] = 2; // want "assignment inside an expression"
    B[i] = k;
    B[i] = plain;
    B[i] = (char)n; // want "type char"
    B[i] = 1.0L; // want "type long double"
    n = 2.5L; // want "type long double"
    int n = n; // want "initialiser of n reads n"
  }
}
