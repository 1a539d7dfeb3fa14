// Few items write; what nobody finds stays.
//: kernel binary_search
//: launch 48
//: thread yes
//: args uint[4] = 0; uint[480] = ramp 3; uint 1300; uint 10
__kernel void binary_search(__global uint4 *out, __global const uint *sorted, const uint key,
                            const uint width)
{
    unsigned int tid = get_global_id(0);
    int low = tid * width, high = low + width - 1;
    if (sorted[low] > key || sorted[high] < key) return;
    out[0].x = tid + 7;
    out[0].w = 1;
}
