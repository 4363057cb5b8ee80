#line 7 "other.c" // want "#line directive"
