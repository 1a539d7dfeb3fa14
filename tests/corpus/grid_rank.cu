// The number of an item in the grid, by cooperative groups, in three dimensions and in a function.
//: kernel rank
//: launch 12 8 6 / 4 2 3
//: skip nvrtc
//: thread yes
//: group yes
//: args int[576] = mod 91; int[576] = 0; int 500
//: kernel rank_helped
//: launch 96 / 16
//: skip nvrtc
//: thread no shared memory
//: group yes
//: args int[96] = mod 91; int[96] = 0; int 90
//: kernel rank_named
//: launch 64 / 16
//: skip emulate nvrtc
//: thread no groups of the grid together
//: group no groups of the grid together
//: range no groups of the grid together
//: args int[64] = 0
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__device__ long long place(int by) { return cooperative_groups::this_grid().thread_rank() + by; }

__global__ void rank(const int *in, int *out, int n)
{
    auto i = cg::this_grid().thread_rank();
    if (i < n) out[i] = in[i] * 2 + (int)(cg::this_grid().thread_rank() % 7);
}

__global__ void rank_helped(const int *in, int *out, int n)
{
    __shared__ int box[16];
    box[threadIdx.x] = in[place(0)];
    __syncthreads();
    if (place(1) <= n) out[place(0)] = box[15 - threadIdx.x];
}

__global__ void rank_named(int *out)
{
    auto grid = cg::this_grid();
    out[grid.thread_rank()] = 1;
}
