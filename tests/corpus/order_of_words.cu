// The words of the head in other orders, a prototype before, attributes.
//: kernel one
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[48] = 0
//: kernel two
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[48] = 0
//: kernel three
//: launch 48 / 16
//: thread yes
//: group yes
//: args int[48] = 0
__global__ void one(int *out);
void __global__ two(int *out);

__launch_bounds__(16) __global__ static void three(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 3 + threadIdx.x;
}

__global__ void one(int *out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1 + threadIdx.x;
}

void __global__ two(int *const out)
{
    out[blockIdx.x * blockDim.x + threadIdx.x] = 2 + blockIdx.x;
}
