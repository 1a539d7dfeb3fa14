// Barriers in both branches of an if that the whole group takes alike.
//: kernel in_branches
//: launch 80 / 8
//: thread no local memory
//: group yes
//: args int[80] = mod 67; int[80] = 0; int 4
__kernel void in_branches(__global const int *in, __global int *out, int limit)
{
    __local int box[8];
    int l = get_local_id(0), value = in[get_global_id(0)];
    if ((int)get_group_id(0) < limit) {
        box[l] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value += box[7 - l];
    } else {
        box[(l + 3) % 8] = -value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value += box[l];
    }
    out[get_global_id(0)] = value;
}
