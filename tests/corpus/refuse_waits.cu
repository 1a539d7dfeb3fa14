// Barriers in assembler, which cannot vote, and a lock.
//: kernel asm_barrier
//: launch 64 / 32
//: skip emulate
//: thread no shared memory
//: group no assembler
//: args int[64] = 0
//: kernel lock
//: launch 64 / 32
//: skip emulate
//: thread no waits for others
//: group no waits for others
//: range no waits for others
//: args int[64] = 0
//: kernel acquires
//: launch 64 / 32
//: skip emulate
//: thread no waits for others
//: group no waits for others
//: range no waits for others
//: args int[64] = 0
__global__ void asm_barrier(int *x)
{
    __shared__ int sh[32];
    sh[threadIdx.x] = blockIdx.x;
    asm volatile("bar.sync 0;" ::: "memory");
    x[blockIdx.x * blockDim.x + threadIdx.x] = sh[31 - threadIdx.x];
}

__global__ void lock(int *x)
{
    if (threadIdx.x == 0)
        for (;;)
            if (atomicCAS(&x[1], 0, 1) == 0) break;
    x[0] = 1;
}

__device__ int load_acquire(const int *p)
{
    int v;
    asm volatile("ld.acquire.gpu.s32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return v;
}

__global__ void acquires(int *x)
{
    if (threadIdx.x == 0)
        while (load_acquire(&x[1]) < 0) __nanosleep(20);
    x[0] = 1;
}
