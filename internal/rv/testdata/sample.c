// A program that has every kind of control flow: calls near, far and through
// a pointer, a jump table, split and join, warps spawned, a barrier, and a
// writable and a zeroed variable.
typedef int (*unary)(int);

int initialised[4] = {1, 2, 3, 4};
int zeroed[16];

static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
unary table[2] = {twice, square};

static inline __attribute__((always_inline)) int thread_id(void) {
	int r;
	__asm__ volatile("csrr %0, 0xcc0" : "=r"(r));
	return r;
}

static inline __attribute__((always_inline)) int split(int p) {
	int depth;
	__asm__ volatile(".insn r 0x0b, 2, 0, %0, %1, x0" : "=r"(depth) : "r"(p));
	return depth;
}

static inline __attribute__((always_inline)) void join(int depth) { __asm__ volatile(".insn r 0x0b, 3, 0, x0, %0, x0" ::"r"(depth)); }

int choose(int k) {
	switch (k) {
	case 0: return zeroed[3];
	case 1: return initialised[2] * 77;
	case 2: return twice(zeroed[1]) + 5;
	case 3: return zeroed[2] ^ 0x55;
	case 4: return initialised[1] / 3;
	case 5: return zeroed[4] % 10;
	}
	return -1;
}

float scale(float x, float y) { return __builtin_sqrtf(x * y + 1.0f) / y; }

int odd(int n);
int even(int n) { return n == 0 ? 1 : odd(n - 1); }
int odd(int n) { return n == 0 ? 0 : even(n - 1); }

void kernel(void) {
	int t = thread_id();
	int depth = split(t & 1);
	if (t & 1)
		zeroed[t & 15] = table[t >> 1 & 1](t);
	else
		zeroed[t & 15] = choose(t) + even(t);
	join(depth);
	zeroed[0] += (int)scale((float)t, 2.0f);
	__asm__ volatile(".insn r 0x0b, 4, 0, x0, %0, %1" ::"r"(0), "r"(2));
}

void worker(void) {
	__asm__ volatile(".insn r 0x0b, 0, 0, x0, %0, x0" ::"r"(-1));
	kernel();
	__asm__ volatile(".insn r 0x0b, 0, 0, x0, x0, x0");
	__builtin_unreachable();
}

__attribute__((section(".text.start"))) void _start(void) {
	__asm__ volatile("lui sp, 0xffff0");
	__asm__ volatile(".insn r 0x0b, 1, 0, x0, %0, %1" ::"r"(4), "r"(worker));
	worker();
}
