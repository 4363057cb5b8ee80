Optimal - objective value -9.00000000
      0 x                     -3                       3
      1 y                     -1                      -2
      2 z                     -2                       1
