// A header whose path macros make, of an option and of the text.
//: kernel included_by_name
//: options -DFOLDER=tests/corpus -I.
//: launch 75 / 15
//: skip nvrtc
//: thread yes
//: group yes
//: args int[75] = mod 40; int[75] = 0
#define QUOTED(path) #path
#define BESIDE(folder, name) QUOTED(folder/include_##name.h)
#include BESIDE(FOLDER, head)

__kernel void included_by_name(__global const int *in, __global int *out)
{
    const int i = HEAD_INDEX;
    out[i] = 3 * head_twice(in[i]) - head_lane();
}
