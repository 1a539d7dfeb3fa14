// Grid-wide synchronisation and kernels that launch kernels.
//: kernel cooperative
//: launch 64 / 16
//: skip nvrtc
//: thread no
//: group no grid
//: range no groups of the grid together
//: args int[64] = 0
//: kernel parent
//: launch 64 / 16
//: skip nvrtc
//: thread no
//: group no launch
//: range no a kernel that launches kernels
//: args int[64] = 0
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void cooperative(int *data)
{
    cg::grid_group grid = cg::this_grid();
    data[grid.thread_rank()] = 1;
    grid.sync();
    data[grid.thread_rank()] += data[0];
}

__global__ void child(int *data) { data[threadIdx.x] = 2; }

__global__ void parent(int *data)
{
    if (threadIdx.x == 0) child<<<1, 32>>>(data + blockIdx.x);
}
