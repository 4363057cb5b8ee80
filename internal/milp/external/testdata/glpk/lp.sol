c Problem:    
c Rows:       2
c Columns:    2
c Non-zeros:  4
c Status:     OPTIMAL
c Objective:  obj = 9.5 (MINimum)
c
s bas 2 2 f f 9.5
i 1 l 4 2.5
i 2 s 1 -0.5
j 1 b 2.5 0
j 2 b 1.5 0
e o f
