// Loops that end by what they find in memory: probing, chains, compare and swap. None waits for
// others, though the first two look alike.
//: kernel insert_keys
//: launch 60 / 12
//: thread yes
//: group yes
//: plain insert_plain
//: args int[50] = mod 1000; int[64] = -1 sorted; int 50
//: kernel add_reals
//: launch 64 / 8
//: thread yes
//: group yes
//: plain add_plain
//: args float[60] = random 0 30; uint[4] = 0; int 60
//: kernel multiply
//: launch 64 / 8
//: thread yes
//: group yes
//: plain multiply_plain
//: args int[60] = mod 90; int[4] = 1; int 60
//: kernel follow_chain
//: launch 60 / 12
//: thread yes
//: group yes
//: plain follow_plain
//: args int[60] = mod 60; int[60] = -1; int 58
//: kernel take_work
//: launch 24 / 8
//: thread yes
//: group yes
//: plain take_plain
//: args int[100] = mod 77; int[100] = 0; int[1] = 0; int 100
//: kernel settle
//: launch 64 / 16
//: thread no local memory
//: group yes
//: plain settle_plain
//: args int[64] = mod 61; int[64] = -1
#define N 16
#define EMPTY (-1)
#define SLOTS 64

__kernel void insert_keys(__global const int *keys, __global int *table, int n)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    const int key = keys[i];
    uint slot = ((uint)key * 2654435761u) % SLOTS;
    while (true) {
        const int found = atomic_cmpxchg(&table[slot], EMPTY, key);
        if (found == EMPTY || found == key) break;
        slot = (slot + 1) % SLOTS;
    }
}

__kernel void insert_plain(__global const int *keys, __global int *table, int n)
{
    int used = 0;
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) {
        int known = 0;
        for (int k = 0; k < used; k++) known |= table[k] == keys[i];
        if (!known) table[used++] = keys[i];
    }
}

static inline void add_real(__global uint *to, float value)
{
    union { uint bits; float real; } old, sum;
    do {
        old.bits = *(volatile __global uint *)to;
        sum.real = old.real + value;
    } while (atomic_cmpxchg(to, old.bits, sum.bits) != old.bits);
}

__kernel void add_reals(__global const float *in, __global uint *sums, int n)
{
    const int i = get_global_id(0);
    if (i < n) add_real(sums + i % 4, in[i]);
}

__kernel void add_plain(__global const float *in, __global uint *sums, int n)
{
    if (get_global_id(0)) return;
    for (int k = 0; k < 4; k++) {
        float sum = 0;
        for (int i = k; i < n; i += 4) sum += in[i];
        sums[k] = as_uint(sum);
    }
}

__kernel void multiply(__global const int *in, __global int *products, int n)
{
    const int i = get_global_id(0);
    if (i >= n) return;
    __global int *to = &products[i & 3];
    int old;
    do {
        old = *to;
    } while (atomic_cmpxchg(to, old, old * (in[i] + 1) % 1009) != old);
}

__kernel void multiply_plain(__global const int *in, __global int *products, int n)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) products[i & 3] = products[i & 3] * (in[i] + 1) % 1009;
}

__kernel void follow_chain(__global const int *next, __global int *out, int goal)
{
    int node = get_global_id(0), steps = 0;
    while (next[node] < goal) {
        node = next[node] + 1;
        if (++steps > 20) break;
    }
    out[get_global_id(0)] = steps * 100 + node;
}

__kernel void follow_plain(__global const int *next, __global int *out, int goal)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < 60; i++) {
        int node = i, steps = 0;
        for (; next[node] < goal && steps <= 20; steps++) node = next[node] + 1;
        out[i] = steps * 100 + node;
    }
}

__kernel void take_work(__global const int *in, __global int *out, __global int *taken, int n)
{
    for (;;) {
        const int i = atomic_add(taken, 1);
        if (i >= n) return;
        out[i] = in[i] * 3 + 1;
    }
}

__kernel void take_plain(__global const int *in, __global int *out, __global int *taken, int n)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) out[i] = in[i] * 3 + 1;
    taken[0] = n + 24;
}

// Rounds until nothing changes, which the whole group learns from a flag.
__kernel void settle(__global const int *in, __global int *out)
{
    __local int value[N], changed;
    const int l = get_local_id(0);
    value[l] = in[get_global_id(0)];
    do {
        barrier(CLK_LOCAL_MEM_FENCE);
        const int least = min(value[l], value[(l + 1) % N]);
        if (l == 0) changed = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (least < value[l]) {
            value[l] = least;
            changed = 1;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (changed);
    out[get_global_id(0)] = value[l] * 2 + 1;
}

__kernel void settle_plain(__global const int *in, __global int *out)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < 64; i++) {
        int least = in[i];
        for (int k = i / N * N; k < i / N * N + N; k++) least = min(least, in[k]);
        out[i] = least * 2 + 1;
    }
}
