// Sobel's edge detection on an image of four bytes a pixel: one pixel a work-item, the launch is as
// large as the image. The outermost pixels are not written.

#pragma gputune local 16, 16
__kernel void sobel(__global const uchar4 *input, __global uchar4 *output)
{
    uint x = get_global_id(0), y = get_global_id(1);
    uint width = get_global_size(0), height = get_global_size(1);
    uint at = x + y * width;
    if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
        float4 nw = convert_float4(input[at - 1 - width]), n = convert_float4(input[at - width]);
        float4 ne = convert_float4(input[at + 1 - width]), w = convert_float4(input[at - 1]);
        float4 e = convert_float4(input[at + 1]), sw = convert_float4(input[at - 1 + width]);
        float4 s = convert_float4(input[at + width]), se = convert_float4(input[at + 1 + width]);
        float4 gx = nw + 2.0f * n + ne - sw - 2.0f * s - se;
        float4 gy = nw - ne + 2.0f * w - 2.0f * e + sw - se;
        output[at] = convert_uchar4_sat(hypot(gx, gy) / 2.0f);
    }
}
