// A whole group leaves before a barrier; a whole group leaves in its middle.
//: kernel group_returns
//: launch 80 / 8
//: thread no local memory
//: group maybe
//: args int[80] = mod 67; int[80] = 0; int 6
__kernel void group_returns(__global const int *in, __global int *out, int groups)
{
    __local int box[8];
    const int l = get_local_id(0), g = get_global_id(0);
    if (get_group_id(0) >= groups) return;
    box[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_group_id(0) == 2) return;
    const int other = box[7 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    box[l] = other * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = box[(l + 1) % 8] + in[g];
}
