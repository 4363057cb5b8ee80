Optimal - objective value -2.00000000
      0 a                          0                      10
      1 b                          1                      -3
      2 c                          1                       5
      3 constant_one               1                      -4
