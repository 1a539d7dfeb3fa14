// A label that nothing jumps to.
//: kernel unused_label
//: launch 96 / 16
//: thread yes
//: merge no a label
//: group yes
//: args int[96] = 0; int 7
__kernel void unused_label(__global int *out, int n)
{
    const int i = get_global_id(0);
    out[i] = n;
again:
    out[i] += 2 * i;
}
