// An image and a sampler. CUDA C has neither, so the kernel has a file of its own.
//: kernel sampled
//: launch 64 / 16
//: thread yes
//: group yes
//: skip opencl oclgrind emulate nvrtc
//: args int 0; float[64] = 0; int 60
__kernel void sampled(__read_only image2d_t picture, __global float *out, int n)
{
    const sampler_t nearest =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    const int2 size = get_image_dim(picture);
    int x = get_global_id(0);
    if (x >= n) {
        return;
    } else {
        float4 texel = read_imagef(picture, nearest, (int2)(x % size.x, x / size.x));
        out[x] = texel.x + texel.y * 2;
    }
}
