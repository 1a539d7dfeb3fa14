// A head of macros, as libraries for several interfaces have it.
//: kernel gather
//: options -DREAL=float
//: launch 128 / 32
//: thread yes
//: group yes
//: args float[128] = random -20 20; int[128] = mod 128; float[128] = 0; int 128
//: kernel group_sum
//: options -DREAL=int
//: launch 128 / 32
//: thread no local memory
//: group yes
//: args int[128] = random -20 20; int[4] = 0
#define KERNEL __kernel
#define GLOBAL_MEM __global
#define LOCAL_MEM __local
#define RESTRICT restrict
#define GLOBAL_PTR(T) GLOBAL_MEM T *RESTRICT
#define BLOCK 32
#define GROUP_SIZE(x) __attribute__((reqd_work_group_size(x, 1, 1)))
#define LID get_local_id(0)
#define SYNC barrier(CLK_LOCAL_MEM_FENCE)

KERNEL void gather(GLOBAL_PTR(const REAL) in, GLOBAL_PTR(const int) at, GLOBAL_PTR(REAL) out,
                   const int n)
{
    const int i = get_global_id(0);
    if (i < n) out[i] = in[at[i]] + (REAL)1;
}

KERNEL GROUP_SIZE(BLOCK) void group_sum(GLOBAL_PTR(const REAL) in, GLOBAL_PTR(REAL) out)
{
    LOCAL_MEM REAL partial[BLOCK];
    partial[LID] = in[get_global_id(0)];
    SYNC;
    for (int half_ = BLOCK / 2; half_ > 0; half_ >>= 1) {
        if (LID < half_) partial[LID] += partial[LID + half_];
        SYNC;
    }
    if (LID == 0) out[get_group_id(0)] = partial[0];
}
