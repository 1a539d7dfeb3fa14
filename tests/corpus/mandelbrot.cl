// Ids in initialisers, conditions and for heads; a do loop.
//: kernel mandelbrot
//: launch 37 23 / 37 1
//: thread yes
//: group yes
//: args int[851] = -1; float -2; float -1; float 0.0625
__kernel void mandelbrot(__global int *out, float left, float top, float step)
{
    float x0 = left + step * get_global_id(0), y0 = top + step * get_global_id(1), x = 0, y = 0;
    int k = 0;
    do {
        float t = x * x - y * y + x0;
        y = 2.0f * x * y + y0;
        x = t;
    } while (x * x + y * y < 4.0f && ++k < 20);
    for (size_t j = get_global_id(0); j == get_global_id(0); j++)
        out[get_global_id(1) * get_global_size(0) + j] = get_global_id(0) % 3 == 2 ? -k : k;
}
