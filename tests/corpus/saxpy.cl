// The plain case, with a grid that reaches over the end.
//: kernel saxpy
//: launch 1024 / 64
//: thread yes
//: group yes
//: args int 1000; float 2.5; float[1000] = random -8 8; float[1000] = ramp 0.25
__kernel void saxpy(const int n, const float a, __global const float *x, __global float *y)
{
    const int i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
}
