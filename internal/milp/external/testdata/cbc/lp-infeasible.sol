Infeasible - objective value -46874999999988.00000000
      0 x            -1.5625e+13                       0
      1 y             1.5625e+13                      -3
