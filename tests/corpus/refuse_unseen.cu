// What a source of tokens does not show: registers of the machine with an id, ids of warps.
//: kernel special_register
//: launch 64 / 16
//: skip emulate nvrtc
//: thread no assembler
//: group no assembler
//: range no assembler that sees the launch
//: args uint[64] = 0
__device__ unsigned block_of_asm()
{
    unsigned id;
    asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(id));
    return id;
}

__global__ void special_register(unsigned *out)
{
    out[block_of_asm() * blockDim.x + threadIdx.x] = 1 + block_of_asm();
}
