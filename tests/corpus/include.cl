// Ids and constants from a header beside it.
//: kernel included
//: options -Itests/corpus -I tests/corpus
//: launch 75 / 15
//: skip nvrtc
//: thread yes
//: group yes
//: args int[75] = mod 40; int[75] = 0
#include "include_head.h"

__kernel void included(__global const int *in, __global int *out)
{
    const int i = HEAD_INDEX;
    out[i] = head_twice(in[i]) + head_lane();
}
