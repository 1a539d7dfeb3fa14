// y = a * x + y over n floats.

#pragma gputune erange 32,1024,2
#define BLOCK 256 // work-items in a group
#pragma gputune erange 1,16,2
#define ITEMS 1 // vectors a work-item does
#pragma gputune set 1,2,4,8
#define VECTOR 1 // floats in a vector
#pragma gputune bool
#define STRIDED 1 // a work-item's vectors are BLOCK apart (1) or neighbours (0)

#pragma gputune require BLOCK <= max_group_size
#pragma gputune require STRIDED || ITEMS > 1

#if VECTOR == 1
typedef float vector;
#elif VECTOR == 2
typedef float2 vector;
#elif VECTOR == 4
typedef float4 vector;
#else
typedef float8 vector;
#endif

#pragma gputune global ceil_div(n, VECTOR * ITEMS)
#pragma gputune local BLOCK
__kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) // NVIDIA allows over 256 only so
void saxpy(int n, float a, __global const float *x, __global float *y)
{
    __global const vector *vx = (__global const vector *)x; // a buffer suits any built-in type
    __global vector *vy = (__global vector *)y;
    const size_t whole = (size_t)(n / VECTOR);
#if STRIDED
    const size_t first = get_group_id(0) * (BLOCK * ITEMS) + get_local_id(0), step = BLOCK;
#else
    const size_t first = get_global_id(0) * ITEMS, step = 1;
#endif
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const size_t i = first + k * step;
        if (i < whole)
            vy[i] += a * vx[i];
        else if (VECTOR > 1 && i == whole) // what does not fill a vector
            for (int j = (int)whole * VECTOR; j < n; j++)
                y[j] += a * x[j];
    }
}
