Integer infeasible - objective value 0.00000000
      0 x                      0                       1
      1 y                    1.5                       0
