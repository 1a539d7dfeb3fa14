// Structs and vectors by value.
//: kernel transform
//: launch 96 / 16
//: thread yes
//: group yes
//: reference transform_unchanging
//: args float[384] = random -4 4; float[384] = 0; struct float 1 float 2 float 3 float 4
//: args struct int 96 float 0.5 int -3 int 2
typedef struct settings {
    int n;
    float gain;
    int2 shift;
} settings;

__kernel void transform(__global const float4 *in, __global float4 *out, float4 bias,
                        struct settings s)
{
    uint i = get_global_id(0);
    if (i >= (uint)s.n) return;
    s.gain += 1.0f;
    bias.xy *= s.gain;
    out[i] = in[i] * s.gain + bias + (float4)((float)s.shift.x, (float)s.shift.y, 0.0f, 1.0f);
}

// After the return PoCL 3.1 has one s for all work-items of a group: each adds to its gain.
__kernel void transform_unchanging(__global const float4 *in, __global float4 *out, float4 bias,
                                   struct settings s)
{
    const uint i = get_global_id(0);
    const float gain = s.gain + 1.0f;
    const float4 scaled = (float4)(bias.xy * gain, bias.zw);
    const float4 shift = (float4)((float)s.shift.x, (float)s.shift.y, 0.0f, 1.0f);
    if (i < (uint)s.n) out[i] = in[i] * gain + scaled + shift;
}
