// The force on each body {x, y, z, mass}; ITEMS bodies a thread, tiles in shared memory.

#pragma gputune erange 32,1024,2
#define BLOCK 256
#pragma gputune set 1,2,4,8
#define ITEMS 1
#pragma gputune set 1,2,4,8,16,32
#define UNROLL 1
#pragma gputune bool
#define SHARED 1
#pragma gputune bool
#define FAST 0 // rsqrtf or 1 / sqrtf
#pragma gputune global ceil_div(n, ITEMS)
#pragma gputune local BLOCK
extern "C" __global__ void nbody(int n, const float4 *__restrict__ body, float4 *__restrict__ force)
{
#if SHARED
    __shared__ float4 tile[BLOCK];
#endif
    const int first = blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
    float4 mine[ITEMS], sum[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        mine[k] = body[min(first + k * BLOCK, n - 1)];
        sum[k] = make_float4(0, 0, 0, 0);
    }
    for (int begin = 0; begin < n; begin += BLOCK) {
        const int count = min(BLOCK, n - begin);
#if SHARED
        __syncthreads();
        if (begin + threadIdx.x < n) tile[threadIdx.x] = body[begin + threadIdx.x];
        __syncthreads();
#endif
#pragma unroll UNROLL
        for (int i = 0; i < count; i++) {
#if SHARED
            const float4 other = tile[i];
#else
            const float4 other = body[begin + i];
#endif
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
                const float x = other.x - mine[k].x, y = other.y - mine[k].y;
                const float z = other.z - mine[k].z, square = x * x + y * y + z * z + 0.01f;
                const float inverse = FAST ? rsqrtf(square) : 1 / sqrtf(square);
                const float strength = other.w * inverse * inverse * inverse;
                sum[k].x += x * strength;
                sum[k].y += y * strength;
                sum[k].z += z * strength;
            }
        }
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        if (first + k * BLOCK < n) force[first + k * BLOCK] = sum[k];
}
