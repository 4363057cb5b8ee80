struct s { struct s *p; } a[2]; typedef struct t t; t b[3]; struct { } c[2];
