// One step of a bitonic sort in global memory: pairs are disjoint.
//: kernel bitonic_step
//: launch 128 / 32
//: thread yes
//: group yes
//: args uint[256] = mod 1009; uint 3; uint 1; uint 1
__kernel void bitonic_step(__global uint *values, const uint stage, const uint pass,
                           const uint ascending)
{
    uint thread = get_global_id(0), up = ascending;
    uint distance = 1 << (stage - pass), block = 2 * distance;
    uint left = thread % distance + thread / distance * block, right = left + distance;
    uint a = values[left], b = values[right], same = 1 << stage;
    if ((thread / same) % 2 == 1) up = 1 - up;
    uint less = min(a, b), more = max(a, b);
    values[left] = up ? less : more;
    values[right] = up ? more : less;
}
