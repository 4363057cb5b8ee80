c Problem:    
c Rows:       4
c Columns:    38
c Non-zeros:  127
c Status:     INTEGER NON-OPTIMAL
c Objective:  obj = 3 (MINimum)
c
s mip 4 38 f 3
i 1 715
i 2 908
i 3 693
i 4 810
j 1 1
j 2 1
j 3 1
j 4 0
j 5 1
j 6 0
j 7 1
j 8 0
j 9 0
j 10 1
j 11 1
j 12 1
j 13 0
j 14 0
j 15 1
j 16 1
j 17 0
j 18 1
j 19 0
j 20 1
j 21 0
j 22 0
j 23 1
j 24 0
j 25 0
j 26 0
j 27 0
j 28 1
j 29 0
j 30 0
j 31 2
j 32 0
j 33 0
j 34 0
j 35 0
j 36 0
j 37 1
j 38 0
e o f
