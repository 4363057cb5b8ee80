#define A B
#define B A
#define F(x) F(F(x))
int x = F(A);
#include "missing.h"
#if
