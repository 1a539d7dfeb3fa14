// Haar wavelet transform of a signal, as many levels as fit into a work-group: it takes twice its
// work-items of the signal, halves them in local memory until one average is left, and writes the
// detail coefficients of every level to that level's place.

#pragma gputune global length / 2
#pragma gputune local 256
__kernel void dwtHaar1D(__global const float *signal, __global float *details,
                        __global float *averages, __local float *shared, uint levels, uint length)
{
    size_t id = get_local_id(0), group = get_group_id(0), size = get_local_size(0);
    float scale = rsqrt((float)length);
    shared[id] = signal[group * size * 2 + id] * scale;
    shared[size + id] = signal[group * size * 2 + size + id] * scale;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint active = (1u << levels) / 2, place = length / 2;
    for (uint i = 0; i < levels; i++) {
        float first = 0.0f, second = 0.0f;
        if (id < active) {
            first = shared[2 * id];
            second = shared[2 * id + 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < active) {
            shared[id] = (first + second) * 0.70710678f;
            details[place + group * active + id] = (first - second) * 0.70710678f;
            place /= 2;
        }
        active /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        averages[group] = shared[0];
}
