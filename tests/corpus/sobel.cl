// The image's width is the grid's.
//: kernel sobel
//: launch 33 21
//: thread yes
//: args uchar[2772] = mod 251; uchar[2772] = 0
__kernel void sobel(__global const uchar4 *in, __global uchar4 *out)
{
    uint x = get_global_id(0), y = get_global_id(1);
    uint width = get_global_size(0), height = get_global_size(1);
    float4 gx, gy;
    uint c = x + y * width;
    if (x < 1 || x >= width - 1 || y < 1 || y >= height - 1) return;
    float4 a = convert_float4(in[c - 1 - width]), b = convert_float4(in[c - width]);
    float4 d = convert_float4(in[c + 1 - width]), e = convert_float4(in[c - 1]);
    float4 f = convert_float4(in[c + 1]), g = convert_float4(in[c - 1 + width]);
    float4 h = convert_float4(in[c + width]), i = convert_float4(in[c + 1 + width]);
    gx = a + 2.0f * b + d - g - 2.0f * h - i;
    gy = a - d + 2.0f * e - 2.0f * f + g - i;
    out[c] = convert_uchar4_sat((fabs(gx) + fabs(gy)) * 0.5f);
}
