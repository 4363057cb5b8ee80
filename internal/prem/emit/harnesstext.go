package emit

// harnessIncludes come before the kernels.
const harnessIncludes = `#include <cuda_runtime.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
`

// harnessHead is the part of a harness that is the same for every module.
const harnessHead = `
// A product in a volatile variable is rounded by itself, whatever the host compiler
// contracts.
inline float wb_mulf(float a, float b) { volatile float p = a * b; return p; }
inline double wb_mul(double a, double b) { volatile double p = a * b; return p; }
inline float wb_float(unsigned bits) { float f; memcpy(&f, &bits, sizeof f); return f; }
inline double wb_double(unsigned long long bits) { double d; memcpy(&d, &bits, sizeof d); return d; }

#define WB_CUDA(call) wb_cuda((call), #call, __LINE__)

static void wb_cuda(cudaError_t e, const char *call, int line)
{
    if (e != cudaSuccess) {
        fprintf(stderr, "line %d: %s: %s\n", line, call, cudaGetErrorString(e));
        exit(1);
    }
}

static void wb_die(const char *what, const char *which)
{
    fprintf(stderr, "%s: %s\n", which, what);
    exit(2);
}

// Arguments. Element e of a member starts as ((mul*e + add) mod m) / div + off, and
// diag more where all its subscripts are equal; m 0 stands for "all off".
struct wb_formula { long long mul, add, mod, div; double off, diag; };
enum wb_type { WB_INT, WB_UINT, WB_LONG, WB_ULONG, WB_FLOAT, WB_DOUBLE };
struct wb_member { const char *name; enum wb_type type; size_t offset; struct wb_formula init; };
struct wb_array {
    const char *name;
    size_t element;
    int rank, members;
    long long dims[WB_RANK];
    const struct wb_member *member;
    const char *in, *out; // files
    unsigned char *memory;
};
extern struct wb_array wb_arrays[];

static size_t wb_elements(const struct wb_array *a)
{
    size_t n = 1;
    for (int d = 0; d < a->rank; d++) {
        if (a->dims[d] <= 0)
            wb_die("an extent is not positive; give --extent or --set", a->name);
        if ((size_t)a->dims[d] > SIZE_MAX / a->element / n)
            wb_die("the array is too large", a->name);
        n *= (size_t)a->dims[d];
    }
    return n;
}

static void wb_put(unsigned char *p, enum wb_type t, double v)
{
    int i = 0;
    unsigned u = 0;
    long long l = 0;
    unsigned long long ul = 0;
    float f = 0;
    switch (t) {
    case WB_INT: i = (int)v; memcpy(p, &i, sizeof i); break;
    case WB_UINT: u = (unsigned)v; memcpy(p, &u, sizeof u); break;
    case WB_LONG: l = (long long)v; memcpy(p, &l, sizeof l); break;
    case WB_ULONG: ul = (unsigned long long)v; memcpy(p, &ul, sizeof ul); break;
    case WB_FLOAT: f = (float)v; memcpy(p, &f, sizeof f); break;
    case WB_DOUBLE: memcpy(p, &v, sizeof v); break;
    }
}

static void wb_fill(struct wb_array *a)
{
    size_t n = wb_elements(a);
    if (a->in) {
        FILE *f = fopen(a->in, "rb");
        if (!f)
            wb_die(strerror(errno), a->in);
        if (fread(a->memory, a->element, n, f) != n || fgetc(f) != EOF)
            wb_die("the file's size is not the array's", a->in);
        fclose(f);
        return;
    }
    // Elements of the diagonal are as far apart as one step in every dimension.
    size_t step = 0, inner = 1;
    long long least = a->dims[0];
    for (int d = a->rank - 1; d >= 0; d--) {
        step += inner;
        inner *= (size_t)a->dims[d];
        least = a->dims[d] < least ? a->dims[d] : least;
    }
    memset(a->memory, 0, n * a->element);
    for (int m = 0; m < a->members; m++) {
        const struct wb_formula *w = &a->member[m].init;
        for (size_t e = 0; e < n; e++) {
            double v = w->mod ? (double)((w->mul * (long long)e + w->add) % w->mod) : 0;
            if (w->div)
                v /= (double)w->div;
            v += w->off;
            if (a->rank > 1 && e % step == 0 && e / step < (size_t)least)
                v += w->diag;
            wb_put(a->memory + e * a->element + a->member[m].offset, a->member[m].type, v);
        }
    }
}

static void wb_save(const struct wb_array *a, const char *folder)
{
    char path[4096];
    if (!a->out && !folder)
        return;
    if (!a->out && snprintf(path, sizeof path, "%s/%s.bin", folder, a->name) >= (int)sizeof path)
        wb_die("the path is too long", folder);
    const char *name = a->out ? a->out : path;
    size_t n = wb_elements(a);
    FILE *f = fopen(name, "wb");
    if (!f || fwrite(a->memory, a->element, n, f) != n || fclose(f))
        wb_die(strerror(errno), name);
}

// Options.
static int wb_repeat = 1, wb_time;
static const char *wb_folder;
#if WB_GUARD
static int wb_guard_on = 1;
static long long wb_budget[6] = {0, 1000000, 1000000, 1000000, 0, 0}; // ns, by kind of phase
static long long wb_retry = 100000;
#endif

static long long wb_number(const char *text, long long least, long long most, const char *what)
{
    char *end;
    errno = 0;
    long long v = strtoll(text, &end, 0);
    if (*text == 0 || *end || errno || v < least || v > most)
        wb_die("not a number in range", what);
    return v;
}

inline unsigned long long wb_unsigned(const char *text, unsigned long long most, const char *what)
{
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 0);
    if (*text == 0 || strchr(text, '-') || *end || errno || v > most)
        wb_die("not a number in range", what);
    return v;
}

inline double wb_real(const char *text, const char *what)
{
    char *end;
    double v = strtod(text, &end);
    if (*text == 0 || *end)
        wb_die("not a number", what);
    return v;
}

inline float wb_realf(const char *text, const char *what)
{
    char *end;
    float v = strtof(text, &end);
    if (*text == 0 || *end)
        wb_die("not a number", what);
    return v;
}

// The text of a scalar, from --set or else the one built in.
inline const char *wb_scalar(int i)
{
    if (!wb_scalar_text[i])
        wb_die("has no value; give --set NAME=VALUE", wb_scalar_name[i]);
    return wb_scalar_text[i];
}

static void wb_usage(FILE *f)
{
    fputs("options:\n"
          "  --in NAME=FILE     contents of an array before the run, raw, as it lies in memory\n"
          "  --out NAME=FILE    write an array after the last run\n"
          "  --out-dir DIR      write every array to DIR/NAME.bin\n"
          "  --set NAME=VALUE   a scalar argument\n"
          "  --extent NAME=N    the first extent of an array declared without\n"
          "  --repeat N         run the function N times, each from the same contents\n"
          "  --time             say how long the kernels took\n", f);
    if (WB_GUARD)
        fputs("  --no-guard         phases are barriers, nothing is asked for or granted\n"
              "  --launch-ns N, --memory-ns N, --compute-ns N, --retry-ns N\n"
              "                     budgets of the guard\n", f);
}

static struct wb_array *wb_find(const char *name, size_t length)
{
    for (int i = 0; i < WB_ARRAYS; i++)
        if (strlen(wb_arrays[i].name) == length && !strncmp(wb_arrays[i].name, name, length))
            return &wb_arrays[i];
    wb_die("no array of that name", name);
    return 0;
}

static void wb_options(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *o = argv[i];
        if (!strcmp(o, "--help")) {
            wb_usage(stdout);
            exit(0);
        }
        if (!strcmp(o, "--time")) {
            wb_time = 1;
            continue;
        }
#if WB_GUARD
        if (!strcmp(o, "--no-guard")) {
            wb_guard_on = 0;
            continue;
        }
#endif
        if (i + 1 == argc) {
            wb_usage(stderr);
            wb_die("unknown option, or its value is missing", o);
        }
        const char *v = argv[++i], *eq = strchr(v, '=');
        if (!strcmp(o, "--repeat"))
            wb_repeat = (int)wb_number(v, 1, INT_MAX, o);
        else if (!strcmp(o, "--out-dir"))
            wb_folder = v;
#if WB_GUARD
        else if (!strcmp(o, "--launch-ns"))
            wb_budget[1] = wb_number(v, 1, 1LL << 60, o);
        else if (!strcmp(o, "--memory-ns"))
            wb_budget[2] = wb_number(v, 1, 1LL << 60, o);
        else if (!strcmp(o, "--compute-ns"))
            wb_budget[3] = wb_number(v, 1, 1LL << 60, o);
        else if (!strcmp(o, "--retry-ns"))
            wb_retry = wb_number(v, 1, 1LL << 60, o);
#endif
        else if (!strcmp(o, "--in") && eq)
            wb_find(v, (size_t)(eq - v))->in = eq + 1;
        else if (!strcmp(o, "--out") && eq)
            wb_find(v, (size_t)(eq - v))->out = eq + 1;
        else if (!strcmp(o, "--extent") && eq)
            wb_find(v, (size_t)(eq - v))->dims[0] = wb_number(eq + 1, 1, LLONG_MAX, v);
        else if (!strcmp(o, "--set") && eq) {
            int s = 0;
            while (s < WB_SCALARS && (strlen(wb_scalar_name[s]) != (size_t)(eq - v) || strncmp(wb_scalar_name[s], v, (size_t)(eq - v))))
                s++;
            if (s == WB_SCALARS)
                wb_die("no scalar of that name", v);
            wb_scalar_text[s] = eq + 1;
        } else {
            wb_usage(stderr);
            wb_die("unknown option or value", o);
        }
    }
}

// Times of kernels.
struct wb_timing { long launches; double least, most, sum; };
static struct wb_timing wb_times[WB_KERNELS];
static cudaEvent_t wb_before, wb_after;

static void wb_start(void)
{
    if (wb_time)
        WB_CUDA(cudaEventRecord(wb_before, 0));
}

static void wb_stop(int kernel)
{
    WB_CUDA(cudaGetLastError());
    if (wb_time)
        WB_CUDA(cudaEventRecord(wb_after, 0));
    WB_CUDA(cudaDeviceSynchronize());
    if (!wb_time)
        return;
    float ms;
    WB_CUDA(cudaEventElapsedTime(&ms, wb_before, wb_after));
    struct wb_timing *t = &wb_times[kernel];
    if (!t->launches++ || ms < t->least)
        t->least = ms;
    if (ms > t->most)
        t->most = ms;
    t->sum += ms;
}
`

// harnessGuard is the CPU's side of the guard, without its throttle threads.
const harnessGuard = `
// The CPU's side of the guard: a thread with a timer. It grants a phase when the
// budget of the one before has passed and the device has asked for the next. It
// holds no cores: what other programs do in a memory phase is not its business.
static volatile unsigned *wb_token, *wb_device_token;
static volatile int wb_stopped;
static long wb_handovers, wb_missed;
static long long wb_latest;
static pthread_t wb_thread;

static long long wb_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void wb_grant(unsigned kind)
{
    __sync_synchronize();
    wb_token[64] = ((wb_token[64] >> 3) + 1) << 3 | kind;
    __sync_synchronize();
}

static void *wb_guard(void *unused)
{
    long long deadline = wb_now() + wb_budget[1], due = deadline;
    int late = 0;
    for (;;) {
        while (!wb_stopped && wb_now() < deadline) {
            struct timespec nap = {0, 50000};
            if (deadline - wb_now() > 200000)
                nanosleep(&nap, 0);
        }
        __sync_synchronize();
        int stopped = wb_stopped;
        unsigned grant = wb_token[64], request = wb_token[32], kind = request & 7;
        if (request >> 3 == ((grant >> 3) + 1) % (1u << 29) && kind >= 2 && kind <= 4) {
            if (late && wb_now() - due > wb_latest)
                wb_latest = wb_now() - due;
            late = 0;
            wb_handovers++;
            wb_grant(kind);
            if (kind == 4)
                return unused;
            due = deadline = wb_now() + wb_budget[kind];
            continue;
        }
        if (stopped)
            return unused;
        if (!late++ && wb_missed++ < 10)
            fprintf(stderr, "guard: phase %u of kind %u missed its hand-over\n", grant >> 3, grant & 7);
        deadline = wb_now() + wb_retry;
    }
}

// wb_offload begins the offload of a kernel: teams have to be resident together.
static void wb_offload(const void *kernel, int teams, int threads, size_t shared, const char *name)
{
    int fit = 0, processors = 0, device = 0;
    if (!wb_guard_on)
        return;
    WB_CUDA(cudaGetDevice(&device));
    WB_CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    WB_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, shared));
    if ((long long)fit * processors < teams) {
        fprintf(stderr, "%s: %d teams, of which the device holds %lld at once: the guard would wait for ever\n",
                name, teams, (long long)fit * processors);
        exit(1);
    }
    wb_token[96] = (unsigned)teams << 16;
    wb_stopped = 0;
    wb_grant(1);
    if ((errno = pthread_create(&wb_thread, 0, wb_guard, 0)))
        wb_die(strerror(errno), "guard");
}

static void wb_onload(void)
{
    if (!wb_guard_on)
        return;
    wb_stopped = 1;
    pthread_join(wb_thread, 0);
    wb_grant(0);
}

static void wb_guard_open(void)
{
    void *host, *device;
    if (!wb_guard_on)
        return;
    WB_CUDA(cudaHostAlloc(&host, 4096, cudaHostAllocMapped));
    memset(host, 0, 4096);
    WB_CUDA(cudaHostGetDevicePointer(&device, host, 0));
    wb_token = (volatile unsigned *)host;
    wb_device_token = (volatile unsigned *)device;
}
`
