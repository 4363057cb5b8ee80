/*
 * run DIR [TIMES [NAME-PART [AFTER]]]: executes the launches that `hardware pack` wrote into
 * DIR on the first NVIDIA GPU, compares every buffer and variable with what is
 * expected, and times each launch TIMES times (0 by default: not at all), its buffers
 * as at the start each time. Launches whose name does not hold NAME-PART are left out,
 * and those up to the one that is called AFTER: a launch that fails ends the program,
 * with exit code 3, and so may the driver's compiler; file DIR/last names the launch
 * begun last. It prints comma-separated values, one line a launch:
 *
 *   launch,registers,status,elements,different,worst,min_ns,median_ns
 *
 * Status is equal, differs, or what the driver said. Worst is the largest distance of
 * a floating-point element from what is expected, in units in the last place, and
 * names the buffer: y:2; of integers it says y:int.
 *
 * Build: cc -O2 -o run run.c -lcuda
 */
#include <cuda.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARGS 128

struct place {
	char name[64], type[8]; /* u, s, b or f and a number of bits */
	size_t bytes, before, after;
	unsigned char *initial, *expected; /* NULL for zeros */
	CUdeviceptr whole, at;
	unsigned char scalar[16];
	int kind; /* 's', 'b', 'v' */
};

static const char *dir;

static void fail(const char *what)
{
	fprintf(stderr, "run: %s\n", what);
	exit(1);
}

static const char *text(CUresult r)
{
	const char *s = NULL;
	cuGetErrorName(r, &s);
	return s ? s : "unknown error";
}

static void must(CUresult r, const char *what)
{
	if (r != CUDA_SUCCESS) {
		fprintf(stderr, "run: %s: %s\n", what, text(r));
		exit(1);
	}
}

/* contents reads a file of so many bytes; NULL for "-". */
static unsigned char *contents(const char *name, size_t bytes, int terminate)
{
	char path[4096];
	unsigned char *data;
	size_t n;
	FILE *f;
	if (strcmp(name, "-") == 0)
		return NULL;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	if (!(f = fopen(path, "rb")))
		fail(path);
	if (terminate) {
		fseek(f, 0, SEEK_END);
		bytes = (size_t)ftell(f);
		rewind(f);
	}
	data = malloc(bytes + 1);
	n = fread(data, 1, bytes, f);
	fclose(f);
	if (n != bytes)
		fail("a file is too short");
	data[bytes] = 0;
	return data;
}

/* begin writes down which launch it is that may end the program. */
static void begin(const char *name)
{
	char path[4096];
	FILE *f;
	snprintf(path, sizeof path, "%s/last", dir);
	if (!(f = fopen(path, "w")) || fputs(name, f) < 0 || fclose(f) != 0)
		fail(path);
}

static void restore(struct place *args, int n)
{
	for (int i = 0; i < n; i++) {
		struct place *p = &args[i];
		if (p->kind == 's')
			continue;
		if (p->kind == 'b')
			must(cuMemsetD8(p->whole, 0, p->before + p->bytes + p->after + 1), "cuMemsetD8");
		else if (!p->initial)
			must(cuMemsetD8(p->at, 0, p->bytes), "cuMemsetD8");
		if (p->initial)
			must(cuMemcpyHtoD(p->at, p->initial, p->bytes), "cuMemcpyHtoD");
	}
	must(cuCtxSynchronize(), "cuCtxSynchronize");
}

/* ordered turns the bits of a float into an integer that counts units in the last place. */
static int64_t ordered(uint64_t bits, int width)
{
	uint64_t sign = (uint64_t)1 << (width - 1);
	return bits & sign ? -(int64_t)(bits & (sign - 1)) : (int64_t)bits;
}

static uint64_t element(const unsigned char *data, size_t at, int size)
{
	uint64_t v = 0;
	if (data)
		memcpy(&v, data + at, (size_t)size);
	return v;
}

static int size_of(const char *type)
{
	return atoi(type + 1) / 8;
}

static int cmp(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return x < y ? -1 : x > y;
}

static void execute(const char *name, const char *ptx, const char *entry, const unsigned *g, unsigned dynamic, struct place *args, int n, int times)
{
	CUmodule module;
	CUfunction f;
	CUevent from, to;
	CUresult r;
	void *params[MOST_ARGS];
	int np = 0, registers = 0;
	long elements = 0, different = 0;
	char worst[256] = "";
	int64_t most = -1;
	float ms[1000];
	char *source = (char *)contents(ptx, 0, 1);
	begin(name);
	r = cuModuleLoadData(&module, source);
	free(source);
	if (r != CUDA_SUCCESS) {
		printf("%s,,%s,,,,,\n", name, text(r));
		return;
	}
	must(cuModuleGetFunction(&f, module, entry), entry);
	cuFuncGetAttribute(&registers, CU_FUNC_ATTRIBUTE_NUM_REGS, f);
	if (dynamic > 48 * 1024)
		must(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int)dynamic), "dynamic shared memory");
	for (int i = 0; i < n; i++) {
		struct place *p = &args[i];
		size_t have;
		if (p->kind == 'b') {
			size_t before = (p->before + 255) / 256 * 256;
			must(cuMemAlloc(&p->whole, before + p->bytes + p->after + 256), "cuMemAlloc");
			p->at = p->whole + before;
			p->before = before;
			params[np++] = &p->at;
		} else if (p->kind == 's') {
			params[np++] = p->scalar;
		} else {
			must(cuModuleGetGlobal(&p->at, &have, module, p->name), p->name);
			if (have != p->bytes)
				fail("a variable has another size");
		}
	}
	restore(args, n);
	r = cuLaunchKernel(f, g[0], g[1], g[2], g[3], g[4], g[5], dynamic, 0, params, NULL);
	if (r == CUDA_SUCCESS)
		r = cuCtxSynchronize();
	if (r != CUDA_SUCCESS) {
		printf("%s,%d,%s,,,,,\n", name, registers, text(r));
		exit(3); /* the context is lost */
	}
	for (int i = 0; i < n; i++) {
		struct place *p = &args[i];
		unsigned char *now;
		int size;
		if (p->kind == 's')
			continue;
		now = malloc(p->bytes + 1);
		must(cuMemcpyDtoH(now, p->at, p->bytes), "cuMemcpyDtoH");
		size = size_of(p->type);
		for (size_t at = 0; at < p->bytes; at += (size_t)size) {
			uint64_t a = element(now, at, size), b = element(p->expected, at, size);
			elements++;
			if (a == b)
				continue;
			different++;
			if (p->type[0] != 'f') {
				most = INT64_MAX;
				snprintf(worst, sizeof worst, "%.63s:int", p->name);
				continue;
			}
			int64_t d = llabs(ordered(a, size * 8) - ordered(b, size * 8));
			if (d > most) {
				most = d;
				snprintf(worst, sizeof worst, "%.63s:%lld", p->name, (long long)d);
			}
		}
		free(now);
	}
	if (times > 1000)
		times = 1000;
	must(cuEventCreate(&from, 0), "cuEventCreate");
	must(cuEventCreate(&to, 0), "cuEventCreate");
	for (int i = 0; i < times; i++) {
		restore(args, n);
		must(cuEventRecord(from, 0), "cuEventRecord");
		must(cuLaunchKernel(f, g[0], g[1], g[2], g[3], g[4], g[5], dynamic, 0, params, NULL), "cuLaunchKernel");
		must(cuEventRecord(to, 0), "cuEventRecord");
		must(cuEventSynchronize(to), "cuEventSynchronize");
		must(cuEventElapsedTime(&ms[i], from, to), "cuEventElapsedTime");
	}
	printf("%s,%d,%s,%ld,%ld,%s,", name, registers, different ? "differs" : "equal", elements, different, worst);
	if (times > 0) {
		qsort(ms, (size_t)times, sizeof ms[0], cmp);
		printf("%.0f,%.0f\n", ms[0] * 1e6, ms[times / 2] * 1e6);
	} else {
		printf(",\n");
	}
	fflush(stdout);
	cuEventDestroy(from);
	cuEventDestroy(to);
	for (int i = 0; i < n; i++)
		if (args[i].kind == 'b')
			cuMemFree(args[i].whole);
	cuModuleUnload(module);
}

int main(int argc, char **argv)
{
	static struct place args[MOST_ARGS];
	char line[8192], name[4096] = "", ptx[4096], entry[1024], initial[256], expected[256], hex[64];
	unsigned g[6], dynamic = 0;
	int n = 0, times = argc > 2 ? atoi(argv[2]) : 0, more;
	const char *part = argc > 3 ? argv[3] : "", *after = argc > 4 ? argv[4] : "";
	int skip = argc > 4;
	CUdevice device;
	CUcontext context;
	FILE *f;
	if (argc < 2)
		fail("usage: run DIR [TIMES] [NAME-PART]");
	dir = argv[1];
	must(cuInit(0), "cuInit");
	must(cuDeviceGet(&device, 0), "cuDeviceGet");
	must(cuDevicePrimaryCtxRetain(&context, device), "cuDevicePrimaryCtxRetain");
	must(cuCtxSetCurrent(context), "cuCtxSetCurrent");
	snprintf(line, sizeof line, "%s/index", dir);
	if (!(f = fopen(line, "r")))
		fail(line);
	if (!skip)
		printf("launch,registers,status,elements,different,worst,min_ns,median_ns\n");
	do {
		more = fgets(line, sizeof line, f) != NULL;
		if ((!more || strncmp(line, "launch ", 7) == 0) && name[0]) {
			if (strstr(name, part) && !skip)
				execute(name, ptx, entry, g, dynamic, args, n, times);
			if (strcmp(name, after) == 0)
				skip = 0;
			for (int i = 0; i < n; i++) {
				free(args[i].initial);
				free(args[i].expected);
			}
		}
		if (!more)
			break;
		if (strncmp(line, "launch ", 7) == 0) {
			if (sscanf(line, "launch %4095s %4095s %1023s %u %u %u %u %u %u %u", name, ptx, entry, g, g + 1, g + 2, g + 3, g + 4, g + 5, &dynamic) != 10)
				fail(line);
			n = 0;
			continue;
		}
		struct place *p = &args[n++];
		if (n > MOST_ARGS)
			fail("too many arguments");
		memset(p, 0, sizeof *p);
		if (sscanf(line, "scalar %63s", hex) == 1) {
			p->kind = 's';
			for (size_t i = 0; 2 * i + 1 < strlen(hex) && i < sizeof p->scalar; i++)
				sscanf(hex + 2 * i, "%2hhx", &p->scalar[i]);
			continue;
		}
		if (sscanf(line, "buffer %63s %7s %zu %zu %zu %255s %255s", p->name, p->type, &p->bytes, &p->before, &p->after, initial, expected) == 7)
			p->kind = 'b';
		else if (sscanf(line, "variable %63s %7s %zu %255s %255s", p->name, p->type, &p->bytes, initial, expected) == 5)
			p->kind = 'v';
		else
			fail(line);
		if (strstr(name, part) && !skip) {
			p->initial = contents(initial, p->bytes, 0);
			p->expected = contents(expected, p->bytes, 0);
		}
	} while (1);
	return 0;
}
