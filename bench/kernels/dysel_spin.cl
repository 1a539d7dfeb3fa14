// Work of a length to choose, the same for each work-item: to see how exactly parts are timed. One
// result in 16 is kept, so that many items need little memory.

#pragma gputune global items
#pragma gputune local 256
__kernel void spin(int items, int steps, __global float *out)
{
    const int id = get_global_id(0);
    if (id < items) {
        float a = id * 1e-9f, b = 0.5f;
        for (int i = 0; i < steps; i++) {
            a = a * 0.999f + b;
            b = b * 0.998f + 0.001f;
        }
        if (id % 16 == 0)
            out[id / 16] = a + b;
    }
}
