// Bins: particles into cells, digits of keys, alignment along a diagonal, sets that are joined.
//: kernel bin_particles
//: launch 80 / 20
//: thread yes
//: group yes
//: merge yes
//: plain bin_particles_plain
//: args float[237] = random -4 12; int[64] = 0; float[64] = 0; int 79
//: kernel digits
//: launch 96 / 32
//: thread no local memory
//: group yes
//: plain digits_plain
//: args uint[180] = mod 70001; uint[48] = 0; int 180; uint 4
//: kernel align_diagonal
//: launch 32 / 8
//: thread yes
//: group yes
//: merge yes
//: plain align_diagonal_plain
//: args int[33] = mod 20; int[33] = mod 31; int[32] = -9
//: args uchar[32] = mod 4; uchar[32] = mod 3; int 29
//: kernel roots
//: launch 64 / 16
//: thread yes
//: group yes
//: merge yes
//: plain roots_plain
//: args int[64] = mod 64; int[64] = -1; int 63
typedef float3 position;
typedef int3 cell_index;

// Cells of 4 in a space of 16; what lies outside is in the nearest cell.
__kernel void bin_particles(__global const float *places, volatile __global int *counts,
                            __global float *last, int n)
{
    const int i = get_global_id(0);
    if (i < n) {
        const position p = vload3(i, places);
        const cell_index c = clamp(convert_int3(floor(p * 0.25f)) + (cell_index)(1),
                                   (cell_index)(0), (cell_index)(3));
        int cell = c.x;
        cell += c.y * 4, cell += c.z * 16;
        atomic_inc(counts + cell);
        if (i < 64) last[i] = p.x + 2 * p.y + 4 * p.z;
    }
}

__kernel void bin_particles_plain(__global const float *places, volatile __global int *counts,
                                  __global float *last, int n)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) {
        int cell = 0;
        for (int d = 2; d >= 0; d--) {
            const float v = places[3 * i + d];
            cell = cell * 4 + (v < 0 ? 0 : v < 4 ? 1 : v < 8 ? 2 : 3);
        }
        counts[cell]++;
        if (i < 64) last[i] = places[3 * i] + 2 * places[3 * i + 1] + 4 * places[3 * i + 2];
    }
}

// A histogram of a digit of each group's share of the keys, bin after bin.
__kernel void digits(__global const uint *keys, __global uint *histograms, int n, uint shift)
{
    __local uint bins[16];
    const uint l = get_local_id(0), groups = get_num_groups(0), g = get_group_id(0);
    const int share = (n + groups - 1) / groups;
    if (l < 16) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = g * share + l, end = min(n, (int)(g + 1) * share); i < end;
         i += get_local_size(0)) {
        const uint digit = keys[i] >> shift & 15;
        switch (digit) {
        case 0:
            continue; // is what the others leave
        default:
            atomic_inc(&bins[digit]);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        uint others = 0;
        for (uint d = 1; d < 16; d++) others += bins[d];
        histograms[g] = min(n, (int)(g + 1) * share) - g * share - others;
    } else if (l < 16)
        histograms[l * groups + g] = bins[l];
}

__kernel void digits_plain(__global const uint *keys, __global uint *histograms, int n, uint shift)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) histograms[3 * (keys[i] >> shift & 15) + i / 60]++;
}

// Smith and Waterman: one diagonal from the two before it.
__kernel void align_diagonal(__global const int *before, __global const int *last,
                             __global int *now, __global const uchar *a, __global const uchar *b,
                             int length)
{
    const int GAP = 3;
    int i = get_global_id(0);
    if (i >= length) return;
    int up = last[i] - GAP, left = last[i + 1] - GAP;
    int across = before[i] + (a[i] == b[length - 1 - i] ? 5 : -4);
    int score;
    if (across >= up && across >= left)
        score = across;
    else if (up >= left)
        score = up;
    else
        score = left;
    if (score < 0) score = 0;
    now[i] = score;
}

__kernel void align_diagonal_plain(__global const int *before, __global const int *last,
                                   __global int *now, __global const uchar *a,
                                   __global const uchar *b, int length)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < length; i++)
        now[i] = max(max(0, before[i] + (a[i] == b[length - 1 - i] ? 5 : -4)),
                     max(last[i], last[i + 1]) - 3);
}

// The root of each tree; a parent is never above its child's number.
__kernel void roots(__global const int *parent, __global int *root, int n)
{
    int child = get_global_id(0), steps = 0;
    if (child >= n) return;
    int up;
    while ((up = min(parent[child], child)) != child) child = up, ++steps;
    root[get_global_id(0)] = child * 100 + steps;
}

__kernel void roots_plain(__global const int *parent, __global int *root, int n)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) { // the parent's answer is there already
        const int up = parent[i] < i ? parent[i] : i;
        root[i] = up == i ? 100 * i : root[up] + 1;
    }
}
