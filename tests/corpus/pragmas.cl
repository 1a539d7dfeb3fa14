// Pragmas of one vendor's within a body. Other compilers pass over them.
//: kernel turned_tile
//: launch 64 / 16
//: thread no local memory
//: group yes
//: args int[64] = mod 50; int[64] = 0
__kernel void turned_tile(__global const int *in, __global int *out)
{
    __local int tile[16];
    const int l = get_local_id(0), g = get_global_id(0);
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma gpc_keep_in_registers
    int kept[4];
#pragma gpc_keep_in_registers
    for (int i = 0; i < 4; i++) kept[i] = tile[(l + 5 * i) % 16];
    for (int i = 0; i < 4; i++) {
        out[g] += kept[i] << i;
#pragma gpc_end_of_turn
    }
}

//: kernel summed_row
//: launch 60 / 20
//: thread yes
//: group yes
//: merge no a directive in the body
//: args int[240] = mod 50; int[60] = 0
__kernel void summed_row(__global const int *in, __global int *out)
{
    int sum = 0;
#pragma gpc_keep_in_registers
    for (int i = 0; i < 4; i++) sum += in[get_global_id(0) * 4 + i];
    out[get_global_id(0)] = sum;
}
