// Kernels that a macro makes, names that a macro makes, a body in a macro.
//: kernel add_int
//: launch 60 / 12
//: thread yes
//: group yes
//: args int[60] = mod 30; int[60] = 1
//: kernel add_renamed
//: launch 60 / 12
//: thread yes
//: group yes
//: args int[60] = mod 30; int[60] = 1
//: kernel mul_int
//: launch 60 / 12
//: thread yes
//: group yes
//: args int[60] = mod 30; int[60] = 1
//: kernel with_body
//: launch 60 / 12
//: thread yes
//: group yes
//: args int[60] = mod 30; int[60] = 1
#define CONCAT_(a, b) a##_##b
#define CONCAT(a, b) CONCAT_(a, b)
#define TYPE int
#define MAKE(name, T, op) \
    __kernel void CONCAT(name, T)(__global const T *in, __global T *out) \
    { \
        const int i = get_global_id(0); \
        out[i] = out[i] op in[i]; \
    }
#define BODY \
    { \
        int i = get_global_id(0); \
        if (i == 7) return; \
        out[i] = in[i] * 3; \
    }
#define public_name add_renamed

MAKE(mul, TYPE, *)

__kernel void CONCAT(add, TYPE)(__global const TYPE *in, __global TYPE *out)
{
    out[get_global_id(0)] += in[get_global_id(0)];
}

__kernel void public_name(__global const int *in, __global int *out)
{
    out[get_global_id(0)] += 2 * in[get_global_id(0)];
}

__kernel void with_body(__global const int *in, __global int *out) BODY
