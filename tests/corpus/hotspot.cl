// Steps in a shrinking tile, barriers after a break that all take together.
//: kernel hotspot
//: launch 24 16 / 8 8
//: thread no local memory
//: group yes
//: args int 2; float[384] = random -2 2; float[384] = random 0 16; float[384] = 0; int 12; int 8
#define IN_RANGE(x, low, high) ((x) >= (low) && (x) <= (high))
#define BS 8
__kernel void hotspot(int iteration, global float *power, global float *from, global float *to,
                      int cols, int rows)
{
    local float on[BS][BS];
    local float p_on[BS][BS];
    local float t[BS][BS]; // for the next step
    int bx = get_group_id(0), by = get_group_id(1), tx = get_local_id(0), ty = get_local_id(1);
    int small = BS - iteration * 2;
    int y = small * by - iteration + ty, x = small * bx - iteration + tx, index = cols * y + x;
    bool valid = IN_RANGE(y, 0, rows - 1) && IN_RANGE(x, 0, cols - 1), computed = false;
    if (valid) {
        on[ty][tx] = from[index];
        p_on[ty][tx] = power[index];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int N = ty - 1, S = ty + 1, W = tx - 1, E = tx + 1;
    if (y <= 0) N = ty;
    if (y >= rows - 1) S = ty;
    if (x <= 0) W = tx;
    if (x >= cols - 1) E = tx;
    for (int i = 0; i < iteration; i++) {
        computed = false;
        if (IN_RANGE(tx, i + 1, BS - i - 2) && IN_RANGE(ty, i + 1, BS - i - 2) && valid) {
            computed = true;
            t[ty][tx] = on[ty][tx] + 0.25f * (p_on[ty][tx] + on[S][tx] + on[N][tx] + on[ty][E] +
                                              on[ty][W] - 4.0f * on[ty][tx]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == iteration - 1) break;
        if (computed) on[ty][tx] = t[ty][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (computed) to[index] = t[ty][tx];
}
