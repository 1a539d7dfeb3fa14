// An id in a default argument, in a constructor and in an initialiser of a member.
//: kernel through_constructor
//: launch 64 / 16
//: thread maybe
//: group maybe
//: range no ids are used outside of a plain function
//: args int[64] = mod 30; int[64] = 0
struct Range {
    int first, lane = threadIdx.x;
    __device__ Range() : first(blockIdx.x * blockDim.x + threadIdx.x) {}
};
__device__ int read(const int *in, int i = threadIdx.x + blockIdx.x * blockDim.x) { return in[i]; }

__global__ void through_constructor(const int *in, int *out)
{
    Range r;
    out[r.first] = read(in) + r.lane;
}
