// Ways out that a whole group takes before a barrier: in loops of loops, in branches, in functions.
//: kernel nested
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 5
//: kernel nested
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 50
//: kernel in_switch
//: launch 96 / 8
//: thread no local memory
//: group no a return in a switch
//: args int[96] = mod 67; int[96] = 0; int 5
//: kernel helper
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 5
//: kernel helper
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 0
//: kernel do_while
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 5
//: kernel deep
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 5
//: kernel branch
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 5
//: kernel helper_loop
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 3
//: kernel divergent_break
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 3
kernel void nested(global const int *in, global int *out, int n)
{
    local int box[8];
    const int group = get_group_id(0), l = get_local_id(0), g = get_global_id(0);
    int sum = in[g];
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < 3; j++) {
            box[l] = sum + i;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += box[l ^ 1];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (i * j + group > n) {
                out[g] = sum;
                return;
            }
            box[l] = sum + j;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += box[7 - l];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        out[g] = i;
    }
    box[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = box[7 - l];
}

kernel void in_switch(global const int *in, global int *out, int n)
{
    local int box[8];
    const int group = get_group_id(0), l = get_local_id(0), g = get_global_id(0);
    box[l] = in[g];
    switch (group) {
    case 1: out[g] = 7; return;
    case 3: barrier(CLK_LOCAL_MEM_FENCE); out[g] = box[l ^ 1]; return;
    case 5: box[l]++; break;
    default: box[l] += n;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = box[7 - l];
}

int sum8(local int *s, int n, int l)
{
    if (n == 0) return s[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    int r = s[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n > 4) return r + 1;
    s[l] = r;
    barrier(CLK_LOCAL_MEM_FENCE);
    return s[7 - l];
}

kernel void helper(global const int *in, global int *out, int n)
{
    local int box[8];
    const int l = get_local_id(0), g = get_global_id(0);
    int i, t = 0;
    box[l] = in[g];
    for (i = 0; i < 6; i++) {
        t += sum8(box, i, l);
        t += sum8(box, n, l);
    }
    out[g] = t;
}

kernel void do_while(global const int *in, global int *out, int n)
{
    local int box[8];
    const int l = get_local_id(0), g = get_global_id(0);
    int row = get_group_id(0), t = in[g];
    do {
        if (row == n) return;
        box[l] = t;
        barrier(CLK_LOCAL_MEM_FENCE);
        t += box[7 - l];
        barrier(CLK_LOCAL_MEM_FENCE);
        row += 2;
        out[g] = t;
    } while (row < 20);
    box[l] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] += box[7 - l];
}

kernel void deep(global const int *in, global int *out, int n)
{
    local int box[8];
    const int l = get_local_id(0), g = get_global_id(0);
    const int group = get_group_id(0);
    int t = in[g];
    if (group & 1) {
        box[l] = t;
        barrier(CLK_LOCAL_MEM_FENCE);
        t = box[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (group > n) {
            if (t > 9) out[g] = t;
            else out[g] = -t;
            return;
        } else if (group == 3)
            return;
        t++;
    } else {
        for (int k = 0; k < group; k++) {
            box[l] = t;
            barrier(CLK_LOCAL_MEM_FENCE);
            t += box[l ^ 1];
            barrier(CLK_LOCAL_MEM_FENCE);
            if (k == n) return;
        }
    }
    box[l] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = box[7 - l];
}

kernel void branch(global const int *in, global int *out, int n)
{
    local int box[8];
    const int l = get_local_id(0), g = get_global_id(0);
    const int group = get_group_id(0);
    int t = in[g];
    if (group == 5) return; else t += 3;
    box[l] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group > 2) {
        t = box[l ^ 1];
        if (group > 8) return;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    box[l] = t;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = box[7 - l];
}

int loops(local int *s, int n, int l)
{
    for (int i = 0; i < 4; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int t = s[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        s[l] = t + i;
        if (i == n) return t;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return s[7 - l];
}

kernel void helper_loop(global const int *in, global int *out, int n)
{
    local int box[8];
    const int l = get_local_id(0), g = get_global_id(0);
    int i = get_group_id(0);
    box[l] = in[g];
    for (;;) {
        if (i > 20) break;
        out[g] = loops(box, i, l);
        if (i == 15) return;
        i += n;
        barrier(CLK_LOCAL_MEM_FENCE);
        box[l] += out[g];
    }
    out[g] += 1;
}

kernel void divergent_break(global const int *in, global int *out, int n)
{
    local int box[8];
    const int l = get_local_id(0), g = get_global_id(0);
    int i = get_group_id(0), k;
    for (k = 0; k < 10; k++) if (k == l) break;
    box[l] = in[g] + k;
    while (i < 20) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int t = box[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        box[l] = t + 1;
        i += n;
    }
    out[g] = box[l];
}
