// Barriers that count.
//: kernel votes
//: launch 96 / 16
//: thread no __syncthreads
//: group yes
//: args int[96] = mod 40; int[96] = 0
__global__ void votes(const int *in, int *out)
{
    int v = in[blockIdx.x * blockDim.x + threadIdx.x];
    int more = __syncthreads_count(v > 20);
    if (__syncthreads_or(v == 39)) more += 100;
    out[blockIdx.x * blockDim.x + threadIdx.x] = more;
}
