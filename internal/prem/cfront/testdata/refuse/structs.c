struct nested { struct { int a; } in; int b; };
struct array { int a[2]; };
struct pointer { float *p; };
struct bits { int a : 3; int b; };
struct mixed { char c; int i; };
struct open { int n; float rest[]; };
struct fixed { const int n; };
struct wild { volatile int n; };
union either { int i; float f; };
struct packed { char c; } __attribute__((packed)); // want "__attribute__"
struct aligned { int n; } __attribute__((aligned(32))); // want "__attribute__"
struct fine { int n; float x; };
struct other { float x; int n; };
static struct nested A[2]; // want "struct in in a structure"
static struct array B[2]; // want "array a in a structure"
static struct pointer C[2]; // want "pointer p in a structure"
static struct bits D[2]; // want "bit-field a in a structure"
static struct mixed E[2]; // want "char c in a structure"
static struct open F[2]; // want "array rest in a structure"
static union either G[2]; // want "type union"
static struct fixed H[2]; // want "qualified member n"
static struct wild I[2]; // want "qualified member n"
static struct fine K[4], *L; // want "type pointer"
static struct fine M; // want "structure M of file scope that is no initialised constant"
static const struct fine R = {1, 0.5f}, T = {1, 1 / 0}; // want "T.x is no constant"
void f(struct fine p, struct fine *restrict q, struct fine s[restrict 4], struct other o, int n)
{
  struct fine a = o; // want "initialiser of a has another type"
  struct fine b = b; // want "initialiser of b reads b"
  struct fine c[2]; // want "local array c"
  struct fine d = {{1}, 2}; // want "not one value a member"
  struct fine e, *g; // want "local pointer g"
  struct { int k; } h = {4};
  static struct fine i; // want "static or extern i"
#pragma omp target teams distribute parallel for map(to: q[0:4])
  for (int j = 0; j < 4; j++) {
    s[j].n = q->n; // want "operator ->"
    s[j].n = (*q).n; // want "structure of an unsupported form"
  }
#pragma omp target teams distribute parallel for map(to: q[0:4])
  for (int j = 0; j < 4; j++) {
    s[j] = q[j];
  }
#pragma omp target teams distribute parallel for
  for (int j = 0; j < 4; j++) s[j] = o; // want "structures of different types"
#pragma omp target teams distribute parallel for
  for (int j = 0; j < 4; j++) s[s[j].n] = p; // want "its own subscript"
#pragma omp target teams distribute parallel for reduction(+: e) // want "e in a clause is no scalar"
  for (int j = 0; j < 4; j++) s[j] = p;
#pragma omp target teams distribute parallel for firstprivate(R) // want "constant in a clause"
  for (int j = 0; j < 4; j++) s[j] = p;
  e = s[0];
  e = K[e.n]; // want "its own subscript"
  h.k = (1 ? e : a).n; // want "structure of an unsupported form"
}
