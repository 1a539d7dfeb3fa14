// A group a row, a local scalar that one item writes.
//: kernel matrix_vector
//: launch 320 / 16
//: thread no local memory
//: group yes
//: args float[800] = random -2 2; float[40] = random -2 2; float[20] = 0; uint 40
__kernel void matrix_vector(__global const float *M, const __global float *V, __global float *W,
                            uint width)
{
    __local float partial[16];
    __local uint row;
    uint l = get_local_id(0);
    if (l == 0) row = get_group_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    float sum = 0;
    for (uint x = l; x < width; x += get_local_size(0)) sum += M[row * width + x] * V[x];
    partial[l] = sum;
    for (uint s = 8; s; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s) partial[l] += partial[l + s];
    }
    if (!l) W[row] = *partial;
}
