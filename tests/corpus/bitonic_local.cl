// A whole sort in local memory: barriers in two loops.
//: kernel bitonic_local
//: launch 64 / 16
//: thread no local memory
//: group yes
//: args uint[128] = mod 509
#define ITEMS 32
static void exchange(__local uint *a, __local uint *b, uint up)
{
    if ((*a > *b) == up) {
        uint t = *a;
        *a = *b;
        *b = t;
    }
}

__kernel void bitonic_local(__global uint *keys)
{
    __local uint s[ITEMS];
    uint l = get_local_id(0);
    keys += get_group_id(0) * ITEMS;
    s[l] = keys[l];
    s[l + ITEMS / 2] = keys[l + ITEMS / 2];
    for (uint size = 2; size <= ITEMS; size <<= 1) {
        uint up = size == ITEMS ? 1 : (l & (size / 2)) == 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint pos = 2 * l - (l & (stride - 1));
            exchange(&s[pos], &s[pos + stride], up);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    keys[l] = s[l];
    keys[l + ITEMS / 2] = s[l + ITEMS / 2];
}
