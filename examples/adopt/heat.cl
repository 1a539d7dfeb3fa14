// A step of a heat flow over n x n points; a work-item does ROWS of them, one below the other.
__kernel void heat(int n, __global const float *from, __global float *to)
{
    const int x = get_global_id(0), first = get_global_id(1) * ROWS;
    for (int y = first; y < first + ROWS && x < n && y < n; y++) {
        const int i = y * n + x, up = max(y - 1, 0) * n, down = min(y + 1, n - 1) * n;
        to[i] = (from[y * n + max(x - 1, 0)] + from[y * n + min(x + 1, n - 1)] + from[up + x] +
                 from[down + x]) / 4;
    }
}
