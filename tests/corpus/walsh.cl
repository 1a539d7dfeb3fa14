// A butterfly in global memory, with pointers and an unsigned group.
//: kernel walsh
//: launch 64 / 16
//: thread yes
//: group yes
//: args float[128] = random -8 8; int 4
__kernel void walsh(__global float *array, const int step)
{
    unsigned int tid = get_global_id(0);
    const unsigned int group = tid % step, pair = 2 * step * (tid / step) + group;
    const unsigned int match = pair + step;
    float a = array[pair], b = array[match];
    array[pair] = a + b;
    array[match] = a - b;
}
