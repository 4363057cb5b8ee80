void f(void) { x = 1; } // want "x"
