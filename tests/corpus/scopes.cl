// Names and scopes, as merging reads them: each block has its own.
//: kernel both_ways
//: launch 320
//: thread yes
//: group maybe
//: merge yes
//: args int[320] = mod 90; int[640] = 0; int 41
__kernel void both_ways(__global const int *height, __global int *water, int level)
{
    int at = get_global_id(0);
    int depth = level - height[at], side;
    if (depth > 0) {
        int side = depth * 3; // another one
        water[at] = side;
    } else if (depth < -20) {
        side = -depth;
        water[at] = side + 1;
    } else {
        for (int depth = 0; depth < 3; depth++) water[at] += depth * at;
    }
    side = depth < 0 ? -depth : depth;
    water[at + 320] = side;
}
//: kernel walks
//: launch 200
//: thread yes
//: group maybe
//: merge yes
//: args int[1000] = mod 60; int[200] = 0; int 190; int 3
__kernel void walks(__global const int *from, __global int *to, int left, int steps)
{
    int i = get_global_id(0);
    if (i >= left) return;
    from += 5 * i; // parameters are each item's own
    to += i;
    for (int k = 0; k < 4; k++) {
        left -= from[k];
        if (left < 0) break;
    }
    while (steps-- > 0) *to += from[steps + 1] * left;
    if (steps < 0) to[0] ^= left;
}
//: kernel sorts_out
//: launch 256
//: thread yes
//: group maybe
//: merge yes
//: args int[256] = mod 100; int[256] = 0; int 7
__kernel void sorts_out(__global const int *what, __global int *out, int n)
{
    enum { FEW = 3 };
    typedef int pair[2];
    const int i = get_global_id(0);
    pair kept;
    int list[4] = { 1, 2, i, n }, sum = 0;
    kept[0] = what[i], kept[1] = n;
    for (int k = 0; k < FEW; k++) {
        switch ((what[i] + k) % 4) {
        case 0:
            sum += 5;
            break;
        case 1: sum ^= 3; // falls through
        case 2: {
            int sum = k; // not the other one
            out[i] += sum;
            break;
        }
        default:
            if (k) continue;
            sum += 100;
        }
        sum += list[k];
    }
    out[i] += sum + kept[0] * kept[1];
}
//: kernel hidden_late
//: launch 128
//: thread yes
//: group maybe
//: merge yes
//: args int[128] = mod 30; int[512] = 0; int 4
__kernel void hidden_late(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0), max = in[i], min = 2;
    for (int k = 0; k < n; k++) {
        int more = max + k;
        int max = more * min; // what stands before is the outer one
        out[4 * i + k] = max;
        max += more;
        out[4 * i + k] += max;
        int min = max - k;
        out[4 * i + k] ^= min;
    }
    if (max > 20) out[4 * i] = max, out[4 * i + 1] = min;
}
//: kernel scans_first
//: launch 160
//: thread yes
//: group maybe
//: merge yes
//: args int[161] = mod 50; int[160] = 0; int 150
__kernel void scans_first(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0), steps = 0, x;
    for (x = in[i]; x > 1; x = x & 1 ? 3 * x + 1 : x / 2) steps++; // before it may leave
    steps += n;
    --n;
    if (i > n || steps > n + 20) return;
    out[i] = steps * 2 + n;
}
//: kernel named_alike
//: launch 120
//: thread yes
//: group maybe
//: merge yes
//: args int[240] = mod 70; int[120] = 0; int 110
int weigh(__local int *with, int n)
{
    if (n == 0) return 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    return with[0];
}
typedef struct {
    int other, weigh; // no function
} weighed;
__kernel void named_alike(__global const weighed *in, __global int *out, int n)
{
    int i = get_global_id(0), part = n / 2, weigh = in[i].weigh;
    if (i < n) out[i] = weigh * 2 + in[i].other + part;
}
//: kernel rows_of
//: launch 60
//: thread yes
//: group maybe
//: merge yes
//: args int[36] = mod 50; int[60] = 0; int 50
__kernel void rows_of(__global const int (*const table)[6], __global int *out, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    int sum = table[i % 5][i % 6];
    __global const int(*row)[6] = table + i % 6;
    sum += (*row)[1] * 3;
    out[i] = sum;
}
//: kernel same_bits
//: launch 90
//: thread yes
//: group maybe
//: merge yes
//: args float[90] = random -4 4; uint[90] = 0; int 3
__kernel void same_bits(__global const float *in, __global uint *out, int n)
{
    int i = get_global_id(0);
    uint sum = 0;
    for (int k = 0; k < n; k++) {
        union {
            float real;
            uint bits;
        } both;
        both.real = in[(i + k) % 90];
        sum ^= both.bits >> k;
    }
    out[i] = sum;
}
//: kernel continues
//: launch 128
//: thread yes
//: group maybe
//: merge yes
//: args int[128] = mod 97; int[1024] = 0; int 5
__kernel void continues(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    for (int k = 0; k < n; k++) {
        switch ((in[i] + k) % 3) {
        case 0: continue; // of the loop: both stores are left out
        default: break;
        }
        out[8 * i + k] = in[i] + k;
        out[8 * i + 7] += k * 3 + 1;
    }
}
//: kernel half_constant
//: launch 128
//: thread yes
//: group maybe
//: merge no a struct within the declaration
//: args int[128] = mod 97; int[256] = 0
__kernel void half_constant(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    struct {
        const int a;
        int b;
    } t = { 1, 5 };
    t.b += in[i];
    out[2 * i] = t.b;
    t.b += i;
    out[2 * i + 1] = t.b;
}
//: kernel chooses_store
//: launch 128
//: thread yes
//: group maybe
//: merge yes
//: args int[128] = mod 97; int[512] = 0
__kernel void chooses_store(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    out[4 * i] = in[i] % 3;
    out[4 * i] ? out[4 * i + 1] = 1 : (out[4 * i + 2] = 2);
    out[4 * i + 3] = out[4 * i + 1] + 7;
}
//: kernel spelt_out
//: launch 128
//: thread yes
//: group maybe
//: merge no a list of values
//: args int[128] = mod 97; int[256] = 0
__kernel void spelt_out(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    char word[4] = "abc";
    word[1] += in[i] % 7;
    out[2 * i] = 3;
    out[2 * i + 1] = word[0] + word[1] * 256 + word[2];
}
