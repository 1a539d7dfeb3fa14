// Local scalars, vectors, structs, several declarators, sizeof of them.
//: kernel local_kinds
//: launch 64 / 8
//: thread no local memory
//: group yes
//: args int[64] = mod 50; int[256] = 0
struct pair {
    int first, second;
    int many[2];
};

__kernel void local_kinds(__global const int *in, __global int *out)
{
    __local int scratch_1[8];
    __local int total, counts[8], most;
    __local int *pointer;
    __local int4 vector;
    __local struct pair both;
    local struct pair rows[2];
    int l = get_local_id(0), g = get_global_id(0), sum = 0;
    if (l == 0) {
        total = 0;
        vector = (int4)(1, 2, 3, (int)get_group_id(0));
        both.first = both.many[1] = 5;
        rows[1].second = 6;
        most = -1;
    }
    pointer = &counts[7];
    barrier(CLK_LOCAL_MEM_FENCE);
    counts[l] = scratch_1[l] = in[g];
    atomic_add(&total, in[g]);
    atomic_max(&most, in[g]);
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = scratch_1[7 - l] * 3;
    out[4 * g] = sum;
    out[4 * g + 1] = total + *pointer * 1000 + most;
    out[4 * g + 2] = vector.x + vector.w * 10 + both.first + both.many[1];
    out[4 * g + 3] = rows[1].second + (int)(sizeof(counts) / sizeof counts[0]) + sizeof rows;
}
