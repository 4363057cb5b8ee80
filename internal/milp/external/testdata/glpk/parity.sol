c Problem:    
c Rows:       1
c Columns:    2
c Non-zeros:  2
c Status:     INTEGER EMPTY
c Objective:  obj = 0 (MINimum)
c
s mip 1 2 n 0
i 1 0
j 1 0
j 2 0
e o f
