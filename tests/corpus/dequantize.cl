// Blocks of quantised weights, unions of types in structs, a row by a group.
//: kernel dequantize
//: launch 128 / 32
//: thread yes
//: group yes
//: args uchar[80] = mod 211; float[128] = 0
//: kernel quantized_dot
//: launch 64 / 8
//: thread no local memory
//: group yes
//: args uchar[160] = mod 211; float[256] = random -2 2; float[8] = 0; local 32
typedef uchar uint8_t;
typedef struct __attribute__((packed)) {
    char scale;
    char bias;
    ushort high;
    uint8_t quants[16];
} block;

__kernel void dequantize(__global const block *x, __global float *y)
{
    const uint i = get_group_id(0) * get_local_size(0) + get_local_id(0);
    const uint ib = i / 32, j = i % 32;
    const __global block *b = x + ib;
    const uint8_t q = b->quants[j % 16];
    y[i] = (float)b->scale * (j < 16 ? (q & 0xf) : (q >> 4)) + b->bias;
}

__kernel void quantized_dot(__global const block *x, __global const float *y,
                            __global float *result, __local float *sums)
{
    const int lane = get_local_id(0), row = get_group_id(0);
    float sum = 0.0f;
    for (int j = lane; j < 32; j += get_local_size(0)) {
        const int q = x[row].quants[j % 16];
        sum += y[row * 32 + j] * (j < 16 ? (q & 0xf) : (q >> 4));
    }
    sums[lane] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (lane < s) sums[lane] += sums[lane + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lane == 0) result[row] = sums[0];
}
