// One pass; row and column k do not change in it.
//: kernel floyd_pass
//: launch 24 24 / 8 8
//: thread yes
//: group yes
//: args uint[576] = mod 500; uint[576] = 0; uint 24; uint 5
__kernel void floyd_pass(__global uint *distance, __global uint *via, const uint nodes,
                         const uint pass)
{
    int x = get_global_id(0), y = get_global_id(1), k = (int)pass;
    if (x == k || y == k) return;
    uint old = distance[y * nodes + x];
    uint other = distance[y * nodes + k] + distance[k * nodes + x];
    if (other < old) {
        distance[y * nodes + x] = other;
        via[y * nodes + x] = k + 1;
    }
}
