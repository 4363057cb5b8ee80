_Pragma("omp barrier") // want "_Pragma operator"
