c Problem:    
c Rows:       2
c Columns:    3
c Non-zeros:  5
c Status:     INTEGER OPTIMAL
c Objective:  obj = -9 (MINimum)
c
s mip 2 3 o -9
i 1 -7
i 2 0
j 1 -3
j 2 -1
j 3 -2
e o f
