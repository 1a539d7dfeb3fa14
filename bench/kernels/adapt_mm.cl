// C = A B, m x k times k x n: a work-group does GROUP_Y ITEMS_Y x GROUP_X ITEMS_X elements, through
// tiles in local memory, 16 of k at a time.

#pragma gputune erange 8,32,2
#define GROUP_X 16
#pragma gputune erange 4,16,2
#define GROUP_Y 16
#pragma gputune set 1,2,4
#define ITEMS_X 1
#pragma gputune set 1,2,4
#define ITEMS_Y 1

#pragma gputune require GROUP_X * GROUP_Y <= max_group_size
#pragma gputune require 64 * (GROUP_X * ITEMS_X + GROUP_Y * ITEMS_Y) <= local_memory

#define DEEP 16
#define WIDE (GROUP_X * ITEMS_X)
#define HIGH (GROUP_Y * ITEMS_Y)
#define GROUP (GROUP_X * GROUP_Y)

#pragma gputune global ceil_div(n, GROUP_X * ITEMS_X) * GROUP_X, \
                       ceil_div(m, GROUP_Y * ITEMS_Y) * GROUP_Y
#pragma gputune local GROUP_X, GROUP_Y
__kernel void adapt_mm(int m, int n, int k, __global const float *a, __global const float *b,
                       __global float *c)
{
    __local float ta[HIGH][DEEP], tb[DEEP][WIDE];
    const int lx = (int)get_local_id(0), ly = (int)get_local_id(1), id = ly * GROUP_X + lx;
    const int left = (int)get_group_id(0) * WIDE, top = (int)get_group_id(1) * HIGH;
    float sum[ITEMS_Y][ITEMS_X];
    for (int v = 0; v < ITEMS_Y; v++)
        for (int u = 0; u < ITEMS_X; u++)
            sum[v][u] = 0.0f;
    for (int first = 0; first < k; first += DEEP) {
        for (int i = id; i < HIGH * DEEP; i += GROUP) {
            const int y = top + i / DEEP, x = first + i % DEEP;
            ta[i / DEEP][i % DEEP] = y < m && x < k ? a[(size_t)y * k + x] : 0.0f;
        }
        for (int i = id; i < DEEP * WIDE; i += GROUP) {
            const int y = first + i / WIDE, x = left + i % WIDE;
            tb[i / WIDE][i % WIDE] = y < k && x < n ? b[(size_t)y * n + x] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < DEEP; i++)
#pragma unroll
            for (int v = 0; v < ITEMS_Y; v++)
#pragma unroll
                for (int u = 0; u < ITEMS_X; u++)
                    sum[v][u] += ta[ly + v * GROUP_Y][i] * tb[i][lx + u * GROUP_X];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int v = 0; v < ITEMS_Y; v++)
        for (int u = 0; u < ITEMS_X; u++) {
            const int y = top + ly + v * GROUP_Y, x = left + lx + u * GROUP_X;
            if (y < m && x < n)
                c[(size_t)y * n + x] = sum[v][u];
        }
}
