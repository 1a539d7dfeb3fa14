// The plain case; in CUDA C the grid reaches over the end.
//: kernel saxpy
//: launch 1024 / 128
//: thread yes
//: group yes
//: args int 1000; float 2.5; float[1000] = random -8 8; float[1000] = ramp 0.25
__global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
