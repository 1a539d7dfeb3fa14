// Sorting and scanning: loops of barriers, with bounds that all of a group share.
//: kernel bitonic_merge
//: launch 64 / 16
//: thread no local memory
//: group yes
//: plain sort_plain
//: args int[128] = mod 1009; int[128] = -1
//: kernel blelloch
//: launch 64 / 16
//: thread no local memory
//: group yes
//: plain blelloch_plain
//: args int[128] = mod 40; int[128] = -1; local 128
//: kernel radix_count
//: launch 96 / 16
//: thread no local memory
//: group yes
//: plain radix_count_plain
//: args uint[90] = mod 997; int[24] = -1; int 90; int 2
//: kernel odd_even
//: launch 80 / 16
//: thread no local memory
//: group yes
//: plain odd_even_plain
//: args int[80] = mod 211; int[80] = -1; local 64; int 16
#define SIZE 32
#define RADIX_BITS 2
#define COMPARE(a, b, up) \
    if ((a > b) == (up)) { \
        int swap = a; \
        a = b; \
        b = swap; \
    }

__kernel void bitonic_merge(__global const int *in, __global int *out)
{
    __local int keys[SIZE];
    const uint lid = get_local_id(0), base = get_group_id(0) * SIZE;
    keys[lid] = in[base + lid];
    keys[lid + SIZE / 2] = in[base + lid + SIZE / 2];
    for (uint size = 2; size < SIZE; size <<= 1) {
        const uint up = (lid & (size / 2)) == 0;
        for (uint stride = size / 2; stride > 0; stride >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint pos = 2 * lid - (lid & (stride - 1));
            COMPARE(keys[pos], keys[pos + stride], up)
        }
    }
    for (uint stride = SIZE / 2; stride > 0; stride >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint pos = 2 * lid - (lid & (stride - 1));
        COMPARE(keys[pos], keys[pos + stride], 1)
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + lid] = keys[lid];
    out[base + lid + SIZE / 2] = keys[lid + SIZE / 2];
}

__kernel void sort_plain(__global const int *in, __global int *out)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < 128; i++) {
        int rank = 0;
        for (int k = i / SIZE * SIZE; k < i / SIZE * SIZE + SIZE; k++)
            rank += in[k] < in[i] || (in[k] == in[i] && k < i);
        out[i / SIZE * SIZE + rank] = in[i];
    }
}

__kernel void blelloch(__global const int *in, __global int *out, __local int *temp)
{
    const int thid = get_local_id(0), n = 2 * get_local_size(0);
    const int base = get_group_id(0) * n;
    int offset = 1;
    temp[2 * thid] = in[base + 2 * thid];
    temp[2 * thid + 1] = in[base + 2 * thid + 1];
    for (int d = n >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (thid == 0) temp[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (thid < d) {
            int ai = offset * (2 * thid + 1) - 1, bi = offset * (2 * thid + 2) - 1;
            int t = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * thid] = temp[2 * thid];
    out[base + 2 * thid + 1] = temp[2 * thid + 1];
}

__kernel void blelloch_plain(__global const int *in, __global int *out, __local int *temp)
{
    if (get_global_id(0)) return;
    for (int i = 0, sum = 0; i < 128; i++) {
        if (i % 32 == 0) sum = 0;
        out[i] = sum;
        sum += in[i];
    }
}

#define BUCKETS (1 << RADIX_BITS)
#define DIGIT(key, shift) (((key) >> (shift)) & (BUCKETS - 1))

__kernel void radix_count(__global const uint *keys, __global int *counts, int n, int shift)
{
    __local int bucket[BUCKETS];
    const int lid = get_local_id(0), gid = get_global_id(0);
    if (lid < BUCKETS) bucket[lid] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (gid < n) atomic_inc(&bucket[DIGIT(keys[gid], shift)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (lid >= BUCKETS) return;
    counts[get_group_id(0) * BUCKETS + lid] = bucket[lid];
}

__kernel void radix_count_plain(__global const uint *keys, __global int *counts, int n, int shift)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < 24; i++) counts[i] = 0;
    for (int i = 0; i < n; i++) counts[i / 16 * BUCKETS + DIGIT(keys[i], shift)]++;
}

// The number of rounds comes as an argument that is used up: nothing says that all have the same.
__kernel void odd_even(__global const int *in, __global int *out, __local int *a, int rounds)
{
    const int l = get_local_id(0), last = get_local_size(0) - 1;
    a[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    while (rounds-- > 0) {
        if (l % 2 == rounds % 2 && l < last) COMPARE(a[l], a[l + 1], 1)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = a[l];
}

__kernel void odd_even_plain(__global const int *in, __global int *out, __local int *a, int rounds)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < 80; i++) {
        int rank = 0;
        for (int k = i / 16 * 16; k < i / 16 * 16 + 16; k++)
            rank += in[k] < in[i] || (in[k] == in[i] && k < i);
        out[i / 16 * 16 + rank] = in[i];
    }
}
