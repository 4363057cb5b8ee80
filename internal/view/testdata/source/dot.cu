// The dot product of two vectors, a block of threads at a time.
static __device__ float product(const float *x, const float *y, int i)
{
  return x[i] * y[i];
}

extern "C" __global__ void dot(const float *x, const float *y, float *out, int n)
{
  __shared__ float part[128];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    sum += product(x, y, i);
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half)
      part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0)
    out[blockIdx.x] = part[0];
}
