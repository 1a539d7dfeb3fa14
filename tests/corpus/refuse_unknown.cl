// What nobody here knows, words that ## makes, types that hide local memory, loops that wait.
//: kernel pasted
//: launch 64 / 16
//: skip nvrtc
//: thread no local memory
//: group yes
//: args int[64] = mod 9; int[64] = 0; local 64
//: kernel hidden_local
//: launch 64 / 16
//: skip nvrtc
//: thread no local memory
//: group yes
//: args int[64] = mod 9; int[64] = 0; local 64
//: kernel waits_do
//: launch 64 / 16
//: thread no waits for others
//: group no waits for others
//: range no waits for others
//: args int[64] = 0
//: kernel waits_for
//: launch 64 / 16
//: thread no waits for others
//: group no waits for others
//: range no waits for others
//: args int[64] = 0
//: kernel waits_while
//: launch 64 / 16
//: thread no waits for others
//: group no waits for others
//: range no waits for others
//: args int[64] = 0
//: kernel waits_in_helper
//: launch 64 / 16
//: thread no waits for others
//: group no waits for others
//: range no waits for others
//: args int[64] = 0
#define PASTE2(a, b) a##b
#define PASTE(a, b) PASTE2(a, b)

__kernel void pasted(__global const int *in, __global int *out, __local int *box)
{
    box[get_local_id(0)] = in[get_global_id(0)];
    PASTE(bar, rier)(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = box[get_local_id(0) ^ 1];
}

typedef __local int *local_pointer;
__kernel void hidden_local(__global const int *in, __global int *out, local_pointer box)
{
    box[get_local_id(0)] = in[get_global_id(0)];
    out[get_global_id(0)] = box[get_local_id(0)] + 1;
}

__kernel void waits_do(__global int *x)
{
    int v;
    do {
        v = atomic_add(&x[1], 0);
    } while (v < 0);
    x[0] = v;
}

__kernel void waits_for(__global volatile int *x)
{
    for (;;) {
        if (x[1] >= 0) break;
    }
    x[0] = 1;
}

__kernel void waits_while(__global volatile int *x)
{
    int v = -1;
    while (v < 0) {
        v = x[1];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
    }
    x[0] = v;
}

void wait_for(__global volatile int *flag, int value)
{
    while (*flag < value)
        ;
}

__kernel void waits_in_helper(__global volatile int *x)
{
    wait_for(x, 0);
    x[1] = 1;
}
