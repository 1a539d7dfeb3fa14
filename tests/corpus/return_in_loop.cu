// Threads leave a loop that has barriers while others go on: a warp's parts would be at different
// barriers in a way that no compiler promises to bear. A macro's return that is a guard is one.
//: kernel return_in_loop
//: launch 128 / 32
//: thread no shared memory
//: group no a return in a loop, branch
//: args int[128] = mod 90; int[128] = 0
//: kernel return_by_macro
//: launch 128 / 32
//: thread no shared memory
//: group yes
//: args int[100] = mod 90; int[128] = 0; int 100
__global__ void return_in_loop(const int *in, int *out)
{
    __shared__ int tile[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = in[i];
    for (int k = 0; k < 8; k++) {
        __syncthreads();
        out[i] += tile[(t + k) % 32];
        if (k == t % 8) return;
    }
}

#define LEAVE_FROM(n) if (i >= (n)) return
__global__ void return_by_macro(const int *in, int *out, int n)
{
    __shared__ int tile[32];
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    tile[t] = -1;
    __syncthreads();
    LEAVE_FROM(n);
    tile[t] = in[i];
    __syncthreads();
    out[i] = tile[31 - t];
}
