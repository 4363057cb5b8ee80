c Problem:    
c Rows:       1
c Columns:    2
c Non-zeros:  2
c Status:     UNDEFINED
c Objective:  obj = 0 (MINimum)
c
s bas 1 2 u u 0
i 1 b 0 0
j 1 f 0 0
j 2 f 0 0
e o f
