// Variables and parameters that are named like ids and like a rewriter's words.
//: kernel shadowing
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 30; int[64] = 0; int 2; int 3; int 4
struct node {
    int x, blockIdx_x, threadIdx_y;
};
__global__ void shadowing(const int *v, int *grid, int factor, int stride, int gputune)
{
    const int tid = threadIdx.x + blockIdx.x * blockDim.x;
    int blockIdx_x = 5, k = 1, size = 2, begin = 3, end = 4, body = 6;
    node n = { 7, 8, 9 };
    for (int stride = 0; stride < 2; stride++) k += factor * stride;
    grid[tid] = v[tid] + blockIdx_x + n.blockIdx_x + n.threadIdx_y * 2 + n.x + k + size + begin +
                end + body + factor + stride + gputune;
}
