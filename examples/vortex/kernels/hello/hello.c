// A line on the console from the first thread of each warp, and an exit code.
#include "vortex.h"

struct args {
	int code;
};

static void number(u32 n) {
	if (n > 9)
		number(n / 10);
	vx_putc('0' + n % 10);
}

void kernel(const struct args *a) {
	vx_if (vx_thread() == 0) {
		vx_puts("hello from core ");
		number(vx_core());
		vx_puts(", warp ");
		number(vx_warp());
		vx_putc('\n');
	}
	vx_end
	vx_if (vx_hart() == 0)
		vx_exit_code(a->code);
	vx_end
}
