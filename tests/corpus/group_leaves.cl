// Whole groups leave before barriers: at the top, with work done first, with barriers in loops
// behind, in a loop, by a macro; items leave behind the last barrier. Refused: from a switch. PoCL
// 3.1 gets leaves_often as it stands wrong, and leaves_twice when it optimises it.
//: kernel leaves_first
//: launch 80 / 8
//: thread no local memory
//: group yes
//: args int[80] = mod 67; int[80] = 0; int 48
//: kernel leaves_often
//: options -DCHECKED
//: launch 96 / 8
//: skip opencl
//: thread no local memory
//: group no a return in a switch
//: args int[96] = mod 67; int[96] = 0; int 7
//: kernel leaves_often
//: launch 96 / 8
//: skip opencl
//: thread no local memory
//: group no a return in a switch
//: args int[96] = mod 67; int[96] = 0; int 70
//: kernel leaves_twice
//: launch 96 / 8
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[96] = 0; int 7
//: kernel leaves_reduction
//: launch 96 / 16
//: thread no local memory
//: group yes
//: args int[96] = mod 67; int[6] = 0; int 80
//: kernel leaves_in_loop
//: launch 64 / 8
//: thread no local memory
//: group yes
//: args int[64] = mod 31; int[64] = 0; int 3
//: kernel leaves_by_macro
//: launch 64 / 8
//: thread no local memory
//: group yes
//: args int[64] = mod 31; int[64] = 0; int 48
//: kernel leaves_halfway
//: options -DCHECKED
//: launch 64 / 8
//: thread no local memory
//: group yes
//: args int[64] = mod 31; int[64] = 0; int 48
__kernel void leaves_first(__global const int *in, __global int *out, int n)
{
    __local int box[8];
    const int g = get_global_id(0), l = get_local_id(0);
    if (g >= n) return;
    box[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = box[7 - l];
}

__kernel void leaves_often(__global const int *in, __global int *out, int n)
{
    __local int box[8];
    const int group = get_group_id(0), l = get_local_id(0), g = get_global_id(0);
    for (int i = 0; i < 20; i++) {
        if (i * 3 == group) {
            out[g] = i + 100;
            return;
        }
        if (i > group) break;
    }
    int sum = in[g];
    box[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
#ifdef CHECKED
    if (group == n) {
        out[g] = box[l ^ 1];
        return;
    }
#endif
    int next = box[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group == 5) return; else next += 3;
    switch (group) {
    case 10: out[g] = next; return;
    case 8: next++; break;
    default: next += 2;
    }
#pragma unroll
    for (int s = 0; s < 3; s++) {
        box[l] = next + s;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += box[(l + s) % 8];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 3) return;
    for (int i = 0; i < 5; i++)
        if (i + l == 8) return;
    out[g] = sum;
}

__kernel void leaves_twice(__global const int *in, __global int *out, int n)
{
    __local int box[8];
    const int group = get_group_id(0), l = get_local_id(0), g = get_global_id(0);
    int sum = in[g];
    if (group == n) {
        out[g] = 50;
        return;
    }
    box[l] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    int next = box[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (group == 5) return;
    next += 3;
#pragma unroll
    for (int s = 0; s < 3; s++) {
        box[l] = next + s;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += box[(l + s) % 8];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 3) return;
    for (int i = 0; i < 5; i++)
        if (i + l == 8) return;
    out[g] = sum;
}

__kernel void leaves_reduction(__global const int *in, __global int *out, int n)
{
    __local int box[16];
    const uint l = get_local_id(0);
    if (get_group_id(0) * get_local_size(0) >= n) return;
    box[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s) box[l] += box[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l != 0) return;
    out[get_group_id(0)] = box[0];
}

__kernel void leaves_in_loop(__global const int *in, __global int *out, int n)
{
    __local int box[8];
    const int g = get_global_id(0), l = get_local_id(0);
    for (int i = 0; i < 8; i++) {
        box[l] = in[g] + i;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[g] = box[7 - l];
        if (i == n) return;
    }
}

#define LEAVE_IF(x) if (x) return
__kernel void leaves_by_macro(__global const int *in, __global int *out, int n)
{
    __local int box[8];
    const int g = get_global_id(0), l = get_local_id(0);
    LEAVE_IF(g >= n);
    box[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = box[7 - l];
}

__kernel void leaves_halfway(__global const int *in, __global int *out, int n)
{
    __local int box[8];
    const int g = get_global_id(0), l = get_local_id(0);
#ifdef CHECKED
    if (g >= n) return;
    box[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
#endif
    out[g] = box[7 - l];
}
