// What the preprocessor decides: two heads, heads and bodies in macros, barriers and returns in
// macros, parameters that are macros, a type that a parameter of the space would choose, words with
// two meanings; and kernels beside the one that is rewritten, which do what cannot be.
//: kernel two_heads
//: options -DWEIGHTED
//: launch 60 / 12
//: thread yes
//: group yes
//: merge yes
//: args int[60] = mod 19; int[60] = 0; int 3
//: kernel chosen_type
//: options -DWIDTH=4
//: launch 16 / 8
//: skip nvrtc
//: thread yes
//: group yes
//: merge yes
//: args float[64] = random -4 4; float[64] = 0
//: kernel scale_int
//: launch 60 / 12
//: thread yes
//: group yes
//: args int[60] = mod 19; int[60] = 0; int 50
//: kernel reduced
//: launch 64 / 16
//: thread no local memory
//: group yes
//: args int[64] = mod 50; int[4] = 0; int 60
//: kernel only_the_compiler
//: launch 64 / 16
//: skip nvrtc
//: thread yes
//: group yes
//: args int[64] = mod 50; int[64] = 0
#define ID get_global_id(0)
#define LOCAL_ID get_local_id(0)
#define BODY(index, value) { out[index] = value; }
#ifdef WEIGHTED
__kernel void two_heads(__global const int *in, __global int *out, int weight)
#else
__kernel void two_heads(__global const int *in, __global int *out)
#define weight 1
#endif
BODY(ID, in[ID] * weight)

#ifndef WIDTH
#define WIDTH 1
#endif
#if WIDTH == 1
#define AT(p, i) p[i]
#else
#define AT(p, i) p[i].s0123
#endif
__kernel void chosen_type(
#if WIDTH == 4
    __global const float4 *in, __global float4 *out
#elif WIDTH > 0
    __global const float *in, __global float *out
#else
#error "a width"
#endif
)
{
    AT(out, ID) = AT(in, ID) + AT(in, (ID + 1) % 16);
}

#define GLUE(a, b) a##_##b
#define HEAD(name, type) __kernel void GLUE(name, type)(__global const type *in, \
                                                       __global type *out, int n)
#define LEAVE_UNLESS(x)                                                                           \
    do {                                                                                          \
        if (!(x)) return;                                                                         \
    } while (0)
HEAD(scale, int)
{
    LEAVE_UNLESS(ID < n);
    out[ID] = in[ID] * 2;
}

#define SYNC barrier(CLK_LOCAL_MEM_FENCE)
#define BOX(name, n) __local int name[n];
#define STEP(distance)                                                                            \
    if (id < distance) box[id] += box[id + distance];                                             \
    SYNC;
#define PARAMETERS __global const int *in, __global int *out, int n
__kernel void reduced(PARAMETERS)
{
    BOX(box, 16)
    const int id = LOCAL_ID;
    box[id] = ID < n ? in[ID] : 0;
    SYNC;
    STEP(8) STEP(4) STEP(2)
    if (id != 0) return;
    out[get_group_id(0)] = box[0] + box[1];
}

#if defined(__OPENCL_VERSION__) && __OPENCL_VERSION__ >= 120 && ADD == 0
#define MORE(x) ((x) + ADDED)
#else
#define MORE(x) (ADDED + (x))
#endif
#define ADDED 7
#ifndef M_PI
#define M_PI 3
#endif
__kernel void only_the_compiler(__global const int *in, __global int *out)
{
    out[ID] = MORE(in[ID]) + (int)M_PI;
}

__kernel void waits_for_all(__global volatile int *flag)
{
    int get_global_id = 3;
    while (flag[0] == 0) { }
    flag[get_global_id] = 1;
}
