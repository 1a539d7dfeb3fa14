// Local memory declared behind macros that are whole statements; macros with pointers to local
// memory; a head that begins with what an #ifdef chooses.
//: kernel behind
//: skip nvrtc
//: launch 64 / 16
//: thread no local memory
//: group yes
//: args int[64] = ramp 1
//: kernel pointers
//: skip nvrtc
//: launch 64 / 16
//: thread no local memory
//: group yes
//: args int[64] = ramp 3
//: kernel chosen
//: skip nvrtc
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = ramp 5
#define ADD(n)                                                                                    \
    for (int i = 0; i < (n); i++) {                                                               \
        sum += i;                                                                                 \
    }
#define START int sum = (int)get_global_id(0);
#ifdef WIDE
#define HINT __attribute__((vec_type_hint(int4)))
#else
#define HINT __attribute__((vec_type_hint(int)))
#endif
#define FIXED 16

__kernel void behind(__global int *out)
{
    START
    __local int first[16];
    ADD(3)
    local int second[16];
    const uint id = get_local_id(0);
    first[id] = sum;
    second[15 - id] = out[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = first[15 - id] + second[id];
}

#define NEXT(j)                                                                                   \
    {                                                                                             \
        __local const int *row = rows[(id + (j)) % 4];                                            \
        sum += row[id % 4];                                                                       \
    }

__kernel void pointers(__global int *out)
{
    __local int rows[4][4];
    const uint id = get_local_id(0);
    int sum = 0;
    rows[id / 4][id % 4] = out[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    NEXT(0);
    NEXT(2);
    out[get_global_id(0)] = sum;
}

#ifdef FIXED
HINT
#endif
__kernel void chosen(__global int *out)
{
    out[get_global_id(0)] += (int)get_group_id(0);
}
