// A step of a heat flow over n x n points; a thread does ROWS of them, one below the other.
extern "C" __global__ void heat(int n, const float *from, float *to)
{
    const int x = blockIdx.x * WIDTH + threadIdx.x, first = blockIdx.y * ROWS;
    for (int y = first; y < first + ROWS && x < n && y < n; y++) {
        const int i = y * n + x, up = max(y - 1, 0) * n, down = min(y + 1, n - 1) * n;
        to[i] = (from[y * n + max(x - 1, 0)] + from[y * n + min(x + 1, n - 1)] + from[up + x] +
                 from[down + x]) / 4;
    }
}
