// Switches, labels at the end, loops left by return, a comma before a return, names of labels.
//: kernel control
//: launch 90 / 9
//: thread yes
//: group yes
//: args int[90] = mod 43; int[90] = -3
__kernel void control(__global const int *in, __global int *out)
{
    const int i = get_global_id(0);
    int v = in[i];
    switch (v % 6) {
    case 0:
        out[i] = 1;
        return;
    case 1:
        v += 10; // falls through
    case 2:
        for (;;) {
            if (--v < 5) goto out_of_it;
            if (v == 9) {
                out[i] = v, v = 0;
                return;
            }
        }
    default:
        break;
    }
    do {
        if (v & 1) continue;
        if (v > 40) return;
    } while (v-- > 30);
    out[i] = v;
    return;
out_of_it:
    out[i] = -v;
    goto end;
end:;
}
