float A[99999999999999999999], B[-1], C[0], D[1<<62];
void f(void){
#pragma omp target teams distribute parallel for collapse(9999999999999999999)
for(int i=0;i<1;i++)A[i]=0;}
