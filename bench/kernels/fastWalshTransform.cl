// One step of the fast Walsh-Hadamard transform, in place: one butterfly a work-item.

#pragma gputune local 256
__kernel void fastWalshTransform(__global float *values, int step)
{
    unsigned int id = get_global_id(0);
    unsigned int pair = 2 * step * (id / step) + id % step;
    unsigned int match = pair + step;
    float first = values[pair], second = values[match];
    values[pair] = first + second;
    values[match] = first - second;
}
