// Parameters are variables, too: the next item must find them as they were.
//: kernel advance
//: launch 300 / 30
//: thread yes
//: group yes
//: args int[900] = random -50 50; int[300] = 0; int 3; int 900; float 1.5; float[300] = 0
__kernel void advance(__global const int *in, __global int *out, int width, int n, float scale,
                      __global float *real)
{
    const int i = get_global_id(0);
    in += i * width;
    out += i;
    real = real + get_global_id(0);
    n -= i * width;
    if (n > width) n = width;
    *out = 0;
    while (n-- > 0) *out += *in++;
    scale *= 2.0f;
    *real = scale + i;
    width = -width;
    *out += width;
}
