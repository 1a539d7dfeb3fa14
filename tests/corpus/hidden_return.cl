// A macro hides the return, another one is named like a built-in.
//: kernel hidden
//: launch 100 / 20
//: thread yes
//: group yes
//: args int[90] = mod 44; int[100] = -1; int 90
//: kernel no_barrier
//: launch 100 / 20
//: thread maybe
//: group yes
//: args int[100] = mod 44; int[100] = -1
#define LEAVE_UNLESS(condition) \
    if (!(condition)) return
#define CHECKED(i, n) \
    do { \
        if ((i) >= (n)) return; \
    } while (0)

__kernel void hidden(__global const int *in, __global int *out, int n)
{
    int i = get_global_id(0);
    CHECKED(i, n);
    LEAVE_UNLESS(in[i] > 10);
    out[i] = in[i];
}

#define barrier(x)
__kernel void no_barrier(__global const int *in, __global int *out)
{
    int i = get_global_id(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = in[i] + 2;
}
