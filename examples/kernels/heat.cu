// One step of a heat flow over an n x n plate: a point becomes the mean of its four neighbours;
// at the edge it is its own neighbour. A block does WIDTH x HEIGHT * ROWS points.

#pragma gputune erange 8,256,2
#define WIDTH 16 // threads of a block
#pragma gputune erange 1,32,2
#define HEIGHT 16
#pragma gputune set 1,2,4,8
#define ROWS 1 // points that a thread does, HEIGHT apart

#pragma gputune require WIDTH * HEIGHT >= 32 && WIDTH * HEIGHT <= max_group_size

#pragma gputune global n, ceil_div(n, ROWS)
#pragma gputune local WIDTH, HEIGHT
__global__ void heat(int n, const float *from, float *to)
{
    const int x = blockIdx.x * WIDTH + threadIdx.x, y0 = blockIdx.y * (HEIGHT * ROWS);
    const int left = max(x - 1, 0) - x, right = min(x + 1, n - 1) - x;
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = y0 + r * HEIGHT + threadIdx.y, i = y * n + x;
        if (x >= n || y >= n) return;
        const int up = (max(y - 1, 0) - y) * n, down = (min(y + 1, n - 1) - y) * n;
        to[i] = (from[i + left] + from[i + right] + from[i + up] + from[i + down]) / 4;
    }
}
