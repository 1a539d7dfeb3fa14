// What nobody here knows, barriers that cannot vote, and one in a method.
//: kernel another_register
//: launch 64 / 32
//: skip emulate nvrtc
//: thread no not known here
//: group no not known here
//: range no not known here
//: args int[64] = 0
//: kernel another_barrier
//: launch 64 / 32
//: skip emulate nvrtc
//: thread no shared memory
//: group no not known here
//: range no not known here
//: args int[64] = 0
//: kernel some_sync
//: launch 64 / 32
//: skip emulate nvrtc
//: thread no shared memory
//: group no before others come to a barrier
//: args int[64] = 0
//: kernel all_sync
//: launch 64 / 32
//: skip emulate nvrtc
//: thread no shared memory
//: group yes
//: args int[64] = 0
//: kernel sync_in_method
//: launch 64 / 32
//: skip emulate nvrtc
//: thread no a barrier
//: group no a method in which work-items meet
//: args int[64] = 0
//: kernel tile_after_exit
//: launch 64 / 32
//: skip emulate nvrtc
//: thread no cooperative groups
//: group no before others of their warp meet
//: args int[64] = 0
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void another_register(int *x)
{
    x[__nvvm_read_ptx_sreg_ctaid_x() * blockDim.x + threadIdx.x] = 1;
}

__global__ void another_barrier(int *x)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    x[blockIdx.x] = 1;
    bar.arrive_and_wait();
}

__global__ void some_sync(int *x)
{
    __shared__ int sh[32];
    auto block = cg::this_thread_block();
    if (block.thread_rank() >= 30) return;
    sh[block.thread_rank()] = blockIdx.x;
    block.sync();
    x[blockIdx.x * blockDim.x + threadIdx.x] = sh[29 - block.thread_rank()];
}

__global__ void all_sync(int *x)
{
    __shared__ int sh[32];
    auto block = cg::this_thread_block();
    sh[block.thread_rank()] = blockIdx.x;
    cg::sync(block);
    x[blockIdx.x * blockDim.x + threadIdx.x] = sh[31 - block.thread_rank()];
}

struct team {
    __device__ void meet() const { __syncthreads(); }
};

__global__ void sync_in_method(int *x)
{
    team t;
    x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
    t.meet();
}

__global__ void tile_after_exit(int *x)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto tile = cg::tiled_partition<32>(cg::this_thread_block());
    if (i >= 60) return;
    x[i] = tile.shfl_down(i, 1);
}
