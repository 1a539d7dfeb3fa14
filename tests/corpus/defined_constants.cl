// A header of the program defines a constant unless the language has it, as darktable's common.h
// does. OpenCL C has M_PI_F, so the header's double is dead. If it were taken, the sums of floats
// would be sums of doubles, and the vectors would not compile.
//: kernel scalars
//: launch 64 / 16
//: thread yes
//: group yes
//: merge yes
//: args float[64] = random 0 8
//: kernel vectors
//: launch 64 / 16
//: thread yes
//: group yes
//: args float[256] = random 0 8
#ifndef M_PI_F
#define M_PI_F 3.14159265358979323846
#endif
#ifndef TWICE
#define TWICE 2.0f
#endif
__kernel void scalars(__global float *out)
{
    const int i = get_global_id(0);
    out[i] = out[i] * M_PI_F * 0.1f + 0.3f * out[i];
}

__kernel void vectors(__global float4 *out)
{
    const int i = get_global_id(0);
    out[i] = TWICE * M_PI_F * out[i];
}
