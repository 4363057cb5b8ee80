int f(void) { return "unterminated; }
/* open