package premtest

// Results are functions that return a scalar of each type, early and late, all of
// them called as f(n, a, b) with 64 elements each: results of reductions, elements
// that kernels wrote, codes of errors. Under a scheme the float sum of total depends
// on the teams; everything else is that of the C program.
const Results = `
int least(int n, float a[restrict 64], int b[restrict 64])
{
    if (n < 1 || n > 64)
        return -22;
    int low = 1000;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(to: b[0:64]) reduction(min: low)
    for (int i = 0; i < n; i++)
        low = b[i] < low ? b[i] : low;
    a[0] = low;
    return low;
}
unsigned bits(int n, float a[restrict 64], int b[restrict 64])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(tofrom: b[0:64])
    for (int i = 0; i < 64; i++)
        b[i] = b[i] * 0x10001 - n;
    return b[63] ^ 0xf0000000u;
}
long steps(int n, float a[restrict 64], int b[restrict 64])
{
    for (int t = 0; t < 10; t++) {
        long sum = 1l << 40;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(tofrom: b[0:64]) reduction(+: sum)
        for (int i = 0; i < 64; i++) {
            b[i] += t;
            sum += b[i];
        }
        if (sum > (1l << 40) + 20 * n)
            return -sum - t;
    }
    return n;
}
unsigned long product(int n, float a[restrict 64], int b[restrict 64])
{
    unsigned long p = 3;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(to: b[0:64]) reduction(*: p)
    for (int i = 0; i < 64; i++)
        p *= (unsigned long)b[i] * 2u + 1u;
    if (n > 10) {
        return p;
    } else {
        {
            return p + n;
        }
    }
}
float last(int n, float a[restrict 64], int b[restrict 64])
{
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(tofrom: a[0:64]) map(to: b[0:64])
    for (int i = 0; i < 64; i++)
        a[i] = (a[i] + 0.1f) / (b[i] + 3);
    return a[(n + 64) % 64] * 3.0;
}
double peak(int n, float a[restrict 64], int b[restrict 64])
{
    double m = n * -0.5;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(to: a[0:64]) reduction(max: m)
    for (int i = 0; i < 64; i++) {
        double x = a[i] / 7.0;
        m = x > m ? x : m;
    }
    return m;
}
float total(int n, float a[restrict 64], int b[restrict 64])
{
    float s = 0.1f;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(to: a[0:64]) reduction(+: s)
    for (int i = 0; i < 64; i++)
        s += a[i] / 3.0f;
    return s + n;
}
void nothing(int n, float a[restrict 64], int b[restrict 64])
{
    if (n == 40)
        return;
#pragma omp target teams distribute parallel for num_teams(2) num_threads(16) map(tofrom: b[0:64])
    for (int i = 0; i < 64; i++)
        b[i] += n;
}
`

// ResultSizes are values of n for which the functions take different ways.
var ResultSizes = []int32{-3, 1, 13, 40}
