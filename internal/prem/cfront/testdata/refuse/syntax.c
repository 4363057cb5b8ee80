void f(void) { for ( } // want "unexpected"
