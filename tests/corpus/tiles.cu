// Tiles of cooperative groups, in a kernel that shares nothing else.
//: kernel tile_sums
//: launch 128 / 64
//: thread no cooperative groups
//: group yes
//: skip emulate nvrtc
//: args int[128] = random -20 20; int[8] = 0
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void tile_sums(const int *in, int *out)
{
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    int sum = in[blockIdx.x * blockDim.x + block.thread_rank()];
    for (int by = tile.size() / 2; by > 0; by /= 2) sum += tile.shfl_down(sum, by);
    if (tile.thread_rank() == 0)
        out[blockIdx.x * (blockDim.x / 16) + block.thread_rank() / 16] = sum;
}
