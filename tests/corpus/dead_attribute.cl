// A text for OpenCL and another language: a macro with attributes, which only the other has, is
// left out to its end.
#if defined IS_METAL
#define PLACE \
    uint place [[ thread_position_in_grid ]], \
    uint size [[ threads_per_grid ]]
#endif

//: kernel dead_attribute
//: launch 128 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[128] = 0; int 100
__kernel void dead_attribute(__global int *out, int n)
{
    const int i = get_global_id(0);
    if (i < n) out[i] = 3 * i + 1;
}
