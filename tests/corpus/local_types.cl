// Local memory of types and sizes that the body declares.
//: kernel own_types
//: launch 64 / 8
//: thread no local memory
//: group yes
//: args int[64] = mod 31; int[64] = 0
//: kernel nested_type
//: launch 64 / 8
//: thread no local memory
//: group no a type that the body declares
//: args int[64] = mod 31; int[64] = 0
//: kernel pointer_types
//: launch 64 / 8
//: thread yes
//: group yes
//: args int[64] = mod 31; int[64] = 0
__constant int weights[4] = { 1, 2, 3, 4 };

__kernel void pointer_types(__global const int *in, __global int *out)
{
    typedef struct { int key; } item;
    __constant int *weight = weights;
    item mine;
    mine.key = in[get_global_id(0)];
    out[get_global_id(0)] = mine.key * weight[get_global_id(0) % 4];
}

__kernel void own_types(__global const int *in, __global int *out)
{
    enum { HALF = 4, SIZE = 2 * HALF };
    typedef struct { int key, value; } item;
    struct pair {
        item a, b;
    };
    const int l = get_local_id(0);
    struct pair mine;
    __local item items[SIZE];
    __local struct pair pairs[HALF];
    items[l].key = in[get_global_id(0)];
    items[l].value = l;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < HALF) {
        mine.a = items[l];
        mine.b = items[SIZE - 1 - l];
        pairs[l] = mine;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = pairs[l / 2].a.key * 100 + pairs[l % HALF].b.key + pairs[l / 2].b.value;
}

__kernel void nested_type(__global const int *in, __global int *out)
{
    __local int box[8];
    box[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    {
        typedef short small;
        out[get_global_id(0)] = (small)box[7 - get_local_id(0)];
    }
}
