// Shuffles by inline assembly's cousins: active masks, match, votes in helpers.
//: kernel votes_in_helper
//: launch 64 / 32
//: thread no ballot
//: group yes
//: args int[64] = mod 20; int[64] = 0
__device__ int lanes_below(bool predicate)
{
    unsigned mask = __ballot_sync(0xffffffff, predicate);
    return __popc(mask & ((1u << (threadIdx.x & 31)) - 1));
}

__global__ void votes_in_helper(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = lanes_below(in[i] > 9) + 1;
}
