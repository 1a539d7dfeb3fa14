// ## that makes no word to be afraid of.
//: kernel pasted_harmless
//: launch 64 / 16
//: thread yes
//: group yes
//: args float[64] = mod 9; int[64] = 0
//: kernel sums
//: launch 48 / 12
//: thread yes
//: group yes
//: plain sums_plain
//: args int[48] = mod 30; float[48] = random 0 9; float[48] = 0
#define JOIN2(a, b) a##b
#define JOIN(a, b) JOIN2(a, b)
__kernel void pasted_harmless(__global const float *in, __global int *out)
{
    const int i = get_global_id(0);
    out[i] = JOIN(convert_, int)(in[i]) + 1;
}

#define DEFINE_SUM(T) \
    T sum_##T(__global const T *x, int at) \
    { \
        T sum = 0; \
        for (int k = at & ~3; k <= at; k++) sum += x[k]; \
        return sum; \
    }
DEFINE_SUM(int)
DEFINE_SUM(float)

__kernel void sums(__global const int *x, __global const float *y, __global float *out)
{
    const int i = get_global_id(0);
    out[i] = sum_int(x, i) * 100 + sum_float(y, i);
}

__kernel void sums_plain(__global const int *x, __global const float *y, __global float *out)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < 48; i++) {
        out[i] = 0;
        for (int k = i / 4 * 4; k <= i; k++) out[i] += x[k] * 100 + y[k];
    }
}
