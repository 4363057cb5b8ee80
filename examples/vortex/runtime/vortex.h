// What a C program needs to run on a Vortex GPU: the six SIMT instructions, the CSRs that tell a thread who it is, macros
// for control flow that threads of a warp do not take together, and the console.
//
// A conditional branch whose active threads disagree is illegal on this GPU. Conditions that differ within a warp go
// through vx_if, vx_for_items or vx_do ... vx_while; plain if, for and ?: are for what all threads of a warp agree on.
// && and || make branches: use & and |. vx_pick chooses without a branch.
//
// The macros hide the condition from the compiler behind the instruction that acts on it, so that no optimisation can
// separate the two, and keep it from turning a branch into a select, which it could move elsewhere.
#ifndef VORTEX_H
#define VORTEX_H

typedef unsigned int u32;

#define VX_INLINE static inline __attribute__((always_inline))

// Read-only CSRs. They are constant for a thread, except the two masks.
#define VX_CSR(number)                                                                                                 \
	({                                                                                                                 \
		u32 vx_value;                                                                                                  \
		__asm__("csrr %0, %1" : "=r"(vx_value) : "i"(number));                                                         \
		vx_value;                                                                                                      \
	})
VX_INLINE u32 vx_thread(void) { return VX_CSR(0xcc0); } // within the warp
VX_INLINE u32 vx_warp(void) { return VX_CSR(0xcc1); }   // within the core
VX_INLINE u32 vx_core(void) { return VX_CSR(0xcc2); }
VX_INLINE u32 vx_threads(void) { return VX_CSR(0xfc0); } // of a warp
VX_INLINE u32 vx_warps(void) { return VX_CSR(0xfc1); }   // of a core
VX_INLINE u32 vx_cores(void) { return VX_CSR(0xfc2); }
VX_INLINE u32 vx_hart(void) { return VX_CSR(0xf14); } // among all hardware threads: (core * warps + warp) * threads + thread
VX_INLINE void *vx_local(void) { return (void *)VX_CSR(0xfc3); } // memory that the threads of a core share

// The threads of this warp that are active now.
VX_INLINE u32 vx_active(void) {
	u32 mask;
	__asm__ volatile("csrr %0, 0xcc4" : "=r"(mask));
	return mask;
}

// TMC: the active threads of the warp; 0 ends it.
VX_INLINE void vx_tmc(u32 mask) { __asm__ volatile(".insn r 0x0b, 0, 0, x0, %0, x0" ::"r"(mask) : "memory"); }

// WSPAWN: warps 1 to count-1 start at entry, with thread 0 only. It waits until no other warp is active, so that
// vx_spawn(1, 0) waits for all.
VX_INLINE void vx_spawn(u32 count, void (*entry)(void)) {
	__asm__ volatile(".insn r 0x0b, 1, 0, x0, %0, %1" ::"r"(count), "r"(entry) : "memory");
}

// BAR: waits until as many warps of the core are at barrier id.
VX_INLINE void vx_barrier(u32 id, u32 warps) {
	__asm__ volatile(".insn r 0x0b, 4, 0, x0, %0, %1" ::"r"(id), "r"(warps) : "memory");
}

// SPLIT: the threads that take the branch on *taken that follows go apart from those that do not. JOIN: together again.
VX_INLINE u32 vx_split(u32 *taken) {
	u32 depth;
	__asm__ volatile(".insn r 0x0b, 2, 0, %0, %1, x0" : "=&r"(depth), "+r"(*taken)::"memory");
	return depth;
}
VX_INLINE void vx_join(u32 depth) { __asm__ volatile(".insn r 0x0b, 3, 0, x0, %0, x0" ::"r"(depth) : "memory"); }

// PRED: turns off the threads without more; once there is none with it, all are on again.
VX_INLINE u32 vx_pred(u32 more, u32 all) {
	__asm__ volatile(".insn r 0x0b, 5, 0, x0, %0, %1" : "+r"(more) : "r"(all) : "memory");
	return more;
}

// Keeps the compiler from executing what stands on one side of it on the other.
#define VX_HERE __asm__ volatile("" ::: "memory")

// vx_if (condition) ... vx_else ... vx_end; vx_else may be left out. No return, break or goto out of it.
#define vx_if(condition)                                                                                               \
	{                                                                                                                  \
		u32 vx_taken = (condition) != 0;                                                                               \
		const u32 vx_depth = vx_split(&vx_taken);                                                                      \
		if (vx_taken) {                                                                                                \
			VX_HERE;
#define vx_else                                                                                                        \
	}                                                                                                                  \
	else {                                                                                                             \
		VX_HERE;
#define vx_end                                                                                                         \
	VX_HERE;                                                                                                           \
	}                                                                                                                  \
	vx_join(vx_depth);                                                                                                 \
	}

// vx_do ... vx_while (condition): each thread repeats as long as its own condition holds.
#define vx_do                                                                                                          \
	{                                                                                                                  \
		const u32 vx_all = vx_active();                                                                                \
		u32 vx_more;                                                                                                   \
		do {
#define vx_while(condition)                                                                                            \
	vx_more = vx_pred((condition) != 0, vx_all);                                                                       \
	}                                                                                                                  \
	while (vx_more)                                                                                                    \
		;                                                                                                              \
	}

// vx_for_items(i, n) ... vx_end_items: i is every one of 0 to n-1 that falls to this hardware thread. All threads go round
// equally often; those that have nothing left in the last round are split off.
#define vx_for_items(i, n)                                                                                             \
	for (u32 vx_first = 0, vx_stride = vx_cores() * vx_warps() * vx_threads(); vx_first < (u32)(n);                    \
	     vx_first += vx_stride) {                                                                                      \
		const u32 i = vx_first + vx_hart();                                                                            \
		vx_if (i < (u32)(n))
#define vx_end_items                                                                                                   \
	vx_end                                                                                                             \
	}

// condition is 0 or 1.
VX_INLINE int vx_pick(u32 condition, int then, int otherwise) {
	int mask = -(int)condition;
	__asm__("" : "+r"(mask));
	return otherwise ^ ((then ^ otherwise) & mask);
}

VX_INLINE float fma32(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
VX_INLINE float sqrt32(float x) { return __builtin_sqrtf(x); }
VX_INLINE float abs32(float x) { return __builtin_fabsf(x); }
// GCC would call fmaxf, which is not there.
VX_INLINE float max32(float a, float b) {
	float larger;
	__asm__("fmax.s %0, %1, %2" : "=f"(larger) : "f"(a), "f"(b));
	return larger;
}
VX_INLINE int bits32(float x) {
	union {
		float f;
		int i;
	} u = {.f = x};
	return u.i;
}
VX_INLINE float float32(int bits) {
	union {
		int i;
		float f;
	} u = {.i = bits};
	return u.f;
}

// The console takes a byte a store, at one of 64 places by hardware thread; the GPU prints whole lines. A string must be
// the same for all active threads.
#ifdef VORTEX_FEB2024
#define VX_IO 0xff004000u
#else
#define VX_IO 0x40u
#endif
VX_INLINE void vx_putc(char c) { *(volatile char *)(VX_IO + (vx_hart() & 63)) = c; }
static inline void vx_puts(const char *s) {
	for (; *s; s++)
		vx_putc(*s);
}

// What the run is to return, 0 if never set.
VX_INLINE void vx_exit_code(int code) { *(volatile int *)(VX_IO + 0x48) = code; }

#endif
