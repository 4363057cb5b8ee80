_Pragma("·'­ barrier") // œwant
