// A sampler among a kernel's variables. CUDA has none, so the kernel has a file of its own.
//: kernel sampled
//: launch 64
//: skip nvrtc
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = mod 9; int[64] = 0; int 3
__kernel void sampled(__global const int *in, __global int *out, int n)
{
    const sampler_t how = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    const int weights[3] = { 4, 2, 1 };
    int i = get_global_id(0), s = 0;
    const int own[2] = { in[i], s + 1 };
    (void)how;
    for (int k = 0; k < n; k++) s += weights[k] * in[(i + k) & 63];
    out[i] = s * own[1] + own[0];
}
