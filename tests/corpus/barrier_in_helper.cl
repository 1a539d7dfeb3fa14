// Barriers and local memory in helpers, two deep.
//: kernel with_helpers
//: launch 96 / 16
//: thread no local memory
//: group yes
//: args int[96] = random -99 99; int[6] = 0; int[96] = 0
//: kernel with_macro
//: launch 96 / 16
//: thread no local memory
//: group maybe
//: args int[96] = random -99 99; int[96] = 0
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
int lane(void);
void load(__local int *to, __global const int *from);
int group_sum(__local int *values, __global const int *from);

int lane(void) { return (int)get_local_id(0); }

void load(__local int *to, __global const int *from)
{
    to[lane()] = from[get_global_id(0)];
    SYNC();
}

int group_sum(__local int *values, __global const int *from)
{
    load(values, from);
    for (int s = 1; s < (int)get_local_size(0); s *= 2) {
        if (lane() % (2 * s) == 0) values[lane()] += values[lane() + s];
        SYNC();
    }
    return values[0];
}

__kernel void with_helpers(__global const int *in, __global int *sums, __global int *out)
{
    __local int values[16];
    int sum = group_sum(values, in);
    if (lane() == 0) sums[get_group_id(0)] = sum;
    out[get_global_id(0)] = sum - in[get_global_id(0)];
}

#define SHARE(type, name, size, value) \
    __local type name[size]; \
    name[get_local_id(0)] = value; \
    SYNC()

__kernel void with_macro(__global const int *in, __global int *out)
{
    SHARE(int, shared, 16, in[get_global_id(0)]);
    out[get_global_id(0)] = shared[15 - lane()];
}
