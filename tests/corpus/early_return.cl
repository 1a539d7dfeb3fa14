// Leaves at the top, in the middle and from a loop; goto.
//: kernel early_return
//: launch 640 / 64
//: thread yes
//: group yes
//: args int[600] = mod 97; int[640] = -7; int 600; int 50
__kernel void early_return(__global const int *in, __global int *out, int n, int limit)
{
    int i = (int)get_global_id(0);
    if (i >= n) return;
    int value = in[i];
    if (value < limit) {
        out[i] = value;
        return;
    }
    for (int k = 0; k < 10; k++) {
        value -= 7;
        if (value < 0) goto negative;
        if (value % 11 == 0) {
            out[i] = 1000 + k;
            return;
        }
    }
    out[i] = value;
    return;
negative:
    out[i] = -value;
}
