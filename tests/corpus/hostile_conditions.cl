// A barrier only under an option, on and off.
//: kernel optional_barrier
//: options -DUSE_LOCAL=1
//: launch 64 / 8
//: thread no
//: group yes
//: args int[64] = mod 31; int[64] = 0
//: kernel optional_barrier
//: options -DUSE_LOCAL=0
//: launch 64 / 8
//: thread maybe
//: group yes
//: args int[64] = mod 31; int[64] = 0
__kernel void optional_barrier(__global const int *in, __global int *out)
{
    const int g = get_global_id(0);
#if USE_LOCAL
    __local int box[8];
    box[get_local_id(0)] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = box[7 - get_local_id(0)];
#else
    out[g] = in[g] + 1;
#endif
}
