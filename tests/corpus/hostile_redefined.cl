// A macro over a built-in's name; an id function's name pasted together; a barrier pasted.
//: kernel redefined
//: skip nvrtc
//: launch 60 / 12
//: thread yes
//: group yes
//: args int[60] = 0
//: kernel pasted
//: skip nvrtc
//: launch 60 / 12
//: thread yes
//: group yes
//: args int[60] = 0
//: kernel pasted_barrier
//: skip nvrtc
//: launch 60 / 12
//: thread no local memory
//: group yes
//: args int[60] = mod 50; int[60] = 0
static size_t plain_id(uint d) { return get_global_id(d); }
#define ID_OF(what) get_##what##_id(0)
#define GLUE(a, b) a##b

__kernel void pasted(__global int *out)
{
    out[ID_OF(global)] = (int)ID_OF(local) + 100 * (int)ID_OF(group) + 1;
}

__kernel void pasted_barrier(__global const int *in, __global int *out)
{
    GLUE(__lo, cal) int box[12];
    box[get_local_id(0)] = in[get_global_id(0)];
    GLUE(bar, rier)(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = box[11 - get_local_id(0)];
}

#define get_global_id(d) (plain_id(d) + 0 * get_local_id(d))
__kernel void redefined(__global int *out)
{
    out[get_global_id(0)] = (int)get_global_id(0) + 5;
}
