// Local declarations in inner scopes, two of one name: some compilers take them, others only those
// at the kernel's outermost.
//: kernel local_nested
//: launch 64 / 8
//: skip opencl oclgrind
//: thread no local memory
//: group maybe
//: args int[64] = mod 50; int[64] = 0
__kernel void local_nested(__global const int *in, __global int *out)
{
    int l = get_local_id(0), g = get_global_id(0), sum = 0;
    {
        __local int scratch[8];
        scratch[7 - l] = in[g];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += scratch[l];
    }
    for (int k = 0; k < 2; k++) {
        __local short scratch[16];
        scratch[2 * l] = (short)(l + k);
        scratch[2 * l + 1] = (short)sizeof(scratch);
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += scratch[15 - l] * 100;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = sum;
}
