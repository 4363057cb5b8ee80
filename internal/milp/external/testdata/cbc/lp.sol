Optimal - objective value 9.50000000
      0 a                    2.5                       0
      1 b                    1.5                       0
