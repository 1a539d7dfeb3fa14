// Local counters first, global ones then.
//: kernel histogram
//: launch 256 / 32
//: thread no local memory
//: group yes
//: args uchar[1000] = mod 251; uint[16] = 3; uint 1000
//: kernel histogram_global
//: launch 320 / 32
//: thread yes
//: group yes
//: args uchar[300] = mod 251; uint[17] = 0; uint 300
#pragma OPENCL EXTENSION cl_khr_local_int32_base_atomics : enable
#define BINS 16
__kernel void histogram(__global const uchar *data, __global uint *bins, uint n)
{
    __local uint counts[BINS];
    for (uint b = get_local_id(0); b < BINS; b += get_local_size(0)) counts[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[data[i] % BINS]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < BINS) atomic_add(bins + get_local_id(0), counts[get_local_id(0)]);
}

__kernel void histogram_global(__global const uchar *data, __global volatile uint *bins, uint n)
{
    uint i = get_global_id(0);
    if (i < n) {
        atomic_add(&bins[data[i] / 16], 1u);
        atomic_max(&bins[16], data[i] + 1u);
    }
}
