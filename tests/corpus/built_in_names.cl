// What a kernel declares is not the built-in function or type of that name: bounds of loops and
// values that differ from item to item.
//: kernel bounds
//: launch 72 / 8
//: thread yes
//: group yes
//: merge yes
//: args int[72] = mod 7; int[72] = 0; int 9
//: kernel values
//: launch 72 / 8
//: thread yes
//: group yes
//: merge yes
//: args int[72] = mod 31; int[144] = 0; int 9
//: kernel leaves
//: launch 72 / 8
//: thread yes
//: group yes
//: merge yes
//: args int[72] = mod 31; int[72] = 0; int 20
__kernel void bounds(__global const int *in, __global int *out, int n)
{
    int x = get_global_id(0);
    int max = in[x], sum = 0;
    for (int i = 0; i < max; i++) sum += i + n;
    out[x] = sum;
}

__kernel void values(__global const int *in, __global int *out, int n)
{
    int x = get_global_id(0);
    int min = in[x];
    out[x + 72] = min;
    int uint = min + n, twice = uint * 2;
    for (int k = 0; k < uint % 5; k++) twice += k;
    out[x] = twice;
}

__kernel void leaves(__global const int *in, __global int *out, int n)
{
    int x = get_global_id(0);
    int clamp = in[x], abs = 0;
    if (clamp > n) return;
    for (int get_local_size = 0; get_local_size < clamp; get_local_size++) abs += 3;
    out[x] = abs + max(clamp, n);
}
