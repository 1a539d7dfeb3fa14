// Parameters that are pointers to arrays, const themselves, too, and in local memory.
//: kernel array_pointers
//: launch 120 / 24
//: thread yes
//: group yes
//: merge yes
//: args int[36] = mod 30; int[120] = 0; int 120
__kernel void array_pointers(__global const int (*const table)[6], __global int *out, int n)
{
    int x = get_global_id(0);
    if (x < n) out[x] = table[x % 6][x % 5] + 1;
}

//: kernel moved_array_pointer
//: launch 120 / 24
//: thread yes
//: group yes
//: merge yes
//: args int[724] = mod 30; int[120] = 0
__kernel void moved_array_pointer(__global const int (*table)[6], __global int *out)
{
    const int x = get_global_id(0);
    table += x;
    out[x] = table[0][x % 6] + 1;
}

//: kernel local_array_pointer
//: launch 96 / 24
//: group yes
//: thread no local memory
//: args int[96] = mod 30; int[96] = 0; local 128
__kernel void local_array_pointer(__global const int *in, __global int (*out)[8],
                                  __local int (*tile)[4])
{
    int l = get_local_id(0), i = get_global_id(0);
    tile[l / 4][l % 4] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i / 8][i % 8] = tile[l % 6][l / 6] + l;
}

//: kernel bracketed_pointer
//: launch 120 / 24
//: thread yes
//: group yes
//: merge yes
//: args int[60] = mod 30; int[120] = 0; int 120
__kernel void bracketed_pointer(__global const int (*const table), __global int *out, const int n)
{
    int x = get_global_id(0), sum = 0;
    if (x >= n) return;
    for (int i = 0; i < 3; i++) sum += table[(x + i) / 3];
    out[x] = sum;
}
