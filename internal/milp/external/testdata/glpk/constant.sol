c Problem:    
c Rows:       1
c Columns:    4
c Non-zeros:  3
c Status:     INTEGER OPTIMAL
c Objective:  obj = -2 (MAXimum)
c
s mip 1 4 o -2
i 1 2
j 1 0
j 2 1
j 3 1
j 4 1
e o f
