// Prefix sums: two local parameters that change places, and pointers into local memory.
//: kernel scan_pingpong
//: launch 160 / 32
//: thread no local memory
//: group yes
//: args int[160] = random 0 10; int[160] = 0; int[5] = 0; local 128; local 128
//: kernel scan_double
//: launch 96 / 16
//: thread no local memory
//: group yes
//: args int[96] = random 0 9; int[96] = 0
__kernel void scan_pingpong(__global const int *in, __global int *out, __global int *totals,
                            __local int *a, __local int *b)
{
    int lid = get_local_id(0), gid = get_global_id(0);
    __local int *swap;
    a[lid] = b[lid] = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = 1; s < (int)get_local_size(0); s <<= 1) {
        b[lid] = lid >= s ? a[lid] + a[lid - s] : a[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
        swap = a;
        a = b;
        b = swap;
    }
    out[gid] = a[lid];
    if (lid == (int)get_local_size(0) - 1) totals[get_group_id(0)] = a[lid];
}

__kernel void scan_double(__global const int *in, __global int *out)
{
    __local int buffers[2][16];
    __local int *from, *to;
    uint l = get_local_id(0), which = 0;
    buffers[0][l] = l > 0 ? in[get_global_id(0) - 1] : 0;
    for (uint s = 1; s < 16; s *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        from = buffers[which];
        to = buffers[1 - which];
        to[l] = from[l] + (l >= s ? from[l - s] : 0);
        which = 1 - which;
    }
    out[get_global_id(0)] = buffers[which][l];
}
