// A separable filter's two passes: local memory with borders, and a constant mask.
//: kernel rows
//: launch 32 6 / 8 2
//: thread no local memory
//: group yes
//: args float[192] = random -8 8; float[192] = 0; float[5] = random 0 4; int 32
//: kernel direct
//: launch 21 17
//: thread yes
//: args float[500] = random -4 4; float[357] = 0; float[25] = random -1 1; int 25; int 5
#define RADIUS 2
__kernel __attribute__((reqd_work_group_size(8, 2, 1)))
void rows(__global const float *restrict src, __global float *restrict dst,
          __constant float *mask, int pitch)
{
    __local float data[2][8 + 2 * RADIUS];
    const int base = (int)get_group_id(0) * 8 - RADIUS, y = get_global_id(1);
    for (int i = get_local_id(0); i < 8 + 2 * RADIUS; i += get_local_size(0)) {
        const int x = base + i;
        data[get_local_id(1)][i] = x >= 0 && x < pitch ? src[y * pitch + x] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (int j = -RADIUS; j <= RADIUS; j++)
        sum += mask[RADIUS - j] * data[get_local_id(1)][get_local_id(0) + RADIUS + j];
    dst[y * pitch + get_global_id(0)] = sum;
}

__kernel void direct(const __global float *const in, __global float *const out,
                     __constant float *const mask, const int width, const int mask_width)
{
    const int x = get_global_id(0), y = get_global_id(1);
    float sum = 0;
    for (int r = 0; r < mask_width; r++) {
        const int row = (y + r) % 20 * width + x;
        for (int c = 0; c < mask_width; c++) sum += mask[r * mask_width + c] * in[row + c];
    }
    out[y * get_global_size(0) + x] = sum;
}
