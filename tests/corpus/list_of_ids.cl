// A vector or array whose list of values says ids: merged, its variable gt__v hid the ids' gt__v.
//: kernel list_of_ids
//: launch 32 16 / 8 4
//: thread yes
//: group yes
//: merge yes
//: args int[512] = mod 7; int[512] = 0
//: kernel array_of_ids
//: launch 32 16 / 8 4
//: thread yes
//: group yes
//: merge yes
//: args int[512] = mod 7; int[512] = 0
__kernel void list_of_ids(__global const int *in, __global int *out)
{
    int2 at = { get_global_id(0), get_global_id(1) };
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += in[(at.x + i) % 32 + at.y * 32];
    out[at.y * 32 + at.x] = sum;
}

__kernel void array_of_ids(__global const int *in, __global int *out)
{
    int at[2] = { get_global_id(0), get_global_id(1) };
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += in[(at[0] + i) % 32 + at[1] * 32];
    out[at[1] * 32 + at[0]] = sum;
}
