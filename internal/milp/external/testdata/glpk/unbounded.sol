c Problem:    
c Rows:       1
c Columns:    2
c Non-zeros:  2
c Status:     INTEGER UNDEFINED
c Objective:  obj = 0 (MAXimum)
c
s mip 1 2 u 0
i 1 0
j 1 0
j 2 0
e o f
