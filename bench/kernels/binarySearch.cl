// One pass of a search in a sorted array that is cut into segments: each work-item looks whether
// its segment, of which it has the first and the last element, may hold the key.

#pragma gputune global segments
#pragma gputune local 256
__kernel void binarySearch(__global uint4 *result, __global const uint2 *bounds, uint key,
                           uint segments)
{
    uint id = get_global_id(0);
    if (id >= segments)
        return;
    uint2 ends = bounds[id];
    if (key < ends.x || key > ends.y)
        return;
    result[0].x = id;
    result[0].w = 1;
}
