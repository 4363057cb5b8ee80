// Threads of a warp go apart: branches within branches as deep as eight threads can divide, and a loop with a branch in it
// inside one side of a branch.
#include "vortex.h"

struct args {
	const u32 *in;
	u32 *steps; // of an odd number until it is 1, halved when even, else 3x + 1; of an even one, how many threes divide it
	u32 *path;  // which way the lowest three bits took the thread
	u32 n;
};

void kernel(const struct args *a) {
	vx_for_items (i, a->n) {
		u32 x = a->in[i], steps = 0, path = 0;
		vx_if (x & 1) {
			vx_do {
				vx_if (x & 1)
					x = 3 * x + 1;
				vx_else
					x /= 2;
				vx_end
				steps++;
			}
			vx_while (x != 1)
		}
		vx_else {
			vx_if (x % 3 == 0) {
				vx_do {
					x /= 3;
					steps++;
				}
				vx_while (x % 3 == 0)
			}
			vx_end
		}
		vx_end
		a->steps[i] = steps;

		x = a->in[i];
		vx_if (x & 4) {
			vx_if (x & 2) {
				vx_if (x & 1)
					path = 111;
				vx_else
					path = 110;
				vx_end
			}
			vx_else {
				path = 10;
				vx_if (x & 1)
					path++;
				vx_end
				path *= 10;
			}
			vx_end
			path += 1000;
		}
		vx_else {
			vx_if (x & 3)
				path = x & 3;
			vx_end
		}
		vx_end
		a->path[i] = path;
	}
	vx_end_items
}
