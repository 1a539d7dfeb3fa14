// Dynamic programming: wavefronts with barriers, and one row after the other.
//: kernel edit_distance
//: launch 96 / 16
//: thread no local memory
//: group yes
//: plain edit_distance_plain
//: args uchar[96] = mod 5; uchar[16] = mod 4; int[96] = -1
//: kernel knapsack_row
//: launch 100 / 20
//: thread yes
//: group yes
//: plain knapsack_plain
//: args int[100] = mod 60; int[100] = 0; int 17; int 23
//: kernel longest_common
//: launch 40 / 8
//: thread no local memory
//: group yes
//: plain longest_common_plain
//: args uchar[40] = mod 4; uchar[12] = mod 3; int[40] = -1; int 12
#define LENGTH 16
#define WIDTH 8
// A word of each group against one pattern: the anti-diagonals in turn.
__kernel void edit_distance(__global const uchar *word, __global const uchar *pattern,
                            __global int *out)
{
    __local int rows[3][LENGTH + 1];
    const int t = get_local_id(0);
    __global const uchar *mine = word + get_group_id(0) * LENGTH;
    for (int d = 0; d <= 2 * LENGTH; d++) {
        for (int i = t; i <= LENGTH; i += LENGTH) {
            const int j = d - i;
            if (j >= 0 && j <= LENGTH) {
                int best = i + j;
                if (i && j) {
                    best = rows[(d + 1) % 3][i - 1] + (mine[i - 1] != pattern[j - 1]);
                    best = min(best, rows[(d + 2) % 3][i - 1] + 1);
                    best = min(best, rows[(d + 2) % 3][i] + 1);
                }
                rows[d % 3][i] = best;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = rows[2 * LENGTH % 3][LENGTH] * 100 + t;
}

__kernel void edit_distance_plain(__global const uchar *word, __global const uchar *pattern,
                                  __global int *out)
{
    int old[LENGTH + 1], now[LENGTH + 1];
    if (get_global_id(0)) return;
    for (int g = 0; g < 6; g++) {
        for (int j = 0; j <= LENGTH; j++) old[j] = j;
        for (int i = 1; i <= LENGTH; i++) {
            now[0] = i;
            for (int j = 1; j <= LENGTH; j++) {
                now[j] = old[j - 1] + (word[g * LENGTH + i - 1] != pattern[j - 1]);
                now[j] = min(now[j], min(old[j], now[j - 1]) + 1);
            }
            for (int j = 0; j <= LENGTH; j++) old[j] = now[j];
        }
        for (int t = 0; t < LENGTH; t++) out[g * LENGTH + t] = old[LENGTH] * 100 + t;
    }
}

__kernel void knapsack_row(__global const int *before, __global int *after, int weight, int value)
{
    const int c = get_global_id(0);
    if (c < weight) {
        after[c] = before[c];
        return;
    }
    after[c] = max(before[c], before[c - weight] + value);
}

__kernel void knapsack_plain(__global const int *before, __global int *after, int weight, int value)
{
    if (get_global_id(0)) return;
    for (int c = 0; c < 100; c++) {
        after[c] = before[c];
        if (c >= weight && before[c - weight] + value > after[c])
            after[c] = before[c - weight] + value;
    }
}

// Rounds are counted in a variable that is not the loop's own.
__kernel void longest_common(__global const uchar *a, __global const uchar *b, __global int *out,
                             int length)
{
    __local int row[2][WIDTH + 1];
    const int t = get_local_id(0), steps = length + WIDTH;
    int best = 0;
    row[0][t + 1] = row[1][t + 1] = 0;
    if (t == 0) row[0][0] = row[1][0] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 0; step < steps; ++step) {
        const int j = step - t;
        int value = 0;
        if (j >= 0 && j < length && a[get_global_id(0)] == b[j]) value = row[step & 1][t] + 1;
        row[~step & 1][t + 1] = value;
        best = max(best, value);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = best;
}

// The kernel's own recurrence: a run's length passes from t, at step, to t + 1.
__kernel void longest_common_plain(__global const uchar *a, __global const uchar *b,
                                   __global int *out, int length)
{
    int run[2][WIDTH + 1];
    if (get_global_id(0)) return;
    for (int g = 0; g < 5; g++) {
        for (int t = 0; t <= WIDTH; t++) run[0][t] = run[1][t] = 0;
        for (int t = 0; t < WIDTH; t++) out[g * WIDTH + t] = 0;
        for (int step = 0; step < length + WIDTH; step++)
            for (int t = 0; t < WIDTH; t++) {
                int j = step - t, value = 0;
                if (j >= 0 && j < length && a[g * WIDTH + t] == b[j]) value = run[step & 1][t] + 1;
                run[~step & 1][t + 1] = value;
                if (value > out[g * WIDTH + t]) out[g * WIDTH + t] = value;
            }
    }
}
