#pragma omp target
