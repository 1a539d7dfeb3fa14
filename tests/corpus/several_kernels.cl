// Names that begin alike, and a variable with another kernel's name; only the one asked for is
// rewritten.
//: kernel scale
//: launch 256 / 64
//: thread yes
//: group yes
//: args int[250] = ramp 1; int 250
//: kernel scale_rows
//: launch 16 12 / 4 4
//: thread yes
//: group yes
//: args int[192] = ramp 2; int[12] = mod 9
//: kernel scaled_by
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 9
//: kernel prescale
//: launch 128 / 32
//: thread no local memory
//: group yes
//: args int[128] = mod 50; int[4] = 0
__kernel void scale_rows(__global int *x, __global const int *by)
{
    int c = get_global_id(0), r = get_global_id(1);
    x[r * get_global_size(0) + c] *= by[r];
}

__kernel void scale(__global int *x, int n)
{
    int i = get_global_id(0);
    if (i < n) x[i] = x[i] * 3 + 1; // scale(x, n) of a comment
}

__kernel void prescale(__global const int *x, __global int *most)
{
    __local int cache[32];
    int l = get_local_id(0);
    cache[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        int m = cache[0];
        for (int k = 1; k < 32; k++) m = max(m, cache[k]);
        most[get_group_id(0)] = m;
    }
}

__kernel void scaled_by(__global int *x)
{
    int prescale = x[get_global_id(0)] + 2;
    x[get_global_id(0)] = prescale * prescale;
}
