// Two heads, one body.
//: kernel clamp_values
//: options -DTYPE=int
//: launch 100 / 10
//: thread maybe
//: group maybe
//: args int[100] = random -100 100; int[100] = 500; int 20
//: kernel clamp_values
//: options -DTYPE=int -DWITH_LOWER
//: launch 100 / 10
//: thread maybe
//: group maybe
//: args int[100] = random -100 100; int[100] = 500; int -30; int 20
#ifdef WITH_LOWER
__kernel void clamp_values(__global const TYPE *in, __global TYPE *out, TYPE lower, TYPE upper)
{
#else
__kernel void clamp_values(__global const TYPE *in, __global TYPE *out, TYPE upper)
{
    const TYPE lower = 0;
#endif
    const int i = get_global_id(0);
    TYPE v = in[i];
    if (v < lower) v = lower;
    if (v > upper) v = upper;
    out[i] = v;
}
