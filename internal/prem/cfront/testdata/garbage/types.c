typedef int (*(*(*a)(void))[3])(int (*)(void)); a *b[2]; int (*c[]) = {0}, d = sizeof(struct q {int a[sizeof(struct r {int b;})];});
