// What pulls at bodies {x, y, z, mass}. The space is that of KTT's example nbody, with vectors of
// one body, and its restrictions.
#pragma gputune set 64,128,256,512
#define WORK_GROUP_SIZE_X 64
#pragma gputune set 1,2,4,8
#define OUTER_UNROLL_FACTOR 1
#pragma gputune set 0,1,2,4,8,16,32
#define INNER_UNROLL_FACTOR1 0
#pragma gputune set 0,1,2,4,8,16,32
#define INNER_UNROLL_FACTOR2 0
#pragma gputune bool
#define USE_SOA 0
#pragma gputune bool
#define LOCAL_MEM 0
#pragma gputune require INNER_UNROLL_FACTOR2 <= OUTER_UNROLL_FACTOR
#pragma gputune require INNER_UNROLL_FACTOR1 * INNER_UNROLL_FACTOR2 <= 256

#if USE_SOA
#define BODY(i) (float4)(all[i], all[n + (i)], all[2 * n + (i)], all[3 * n + (i)])
#else
#define BODY(i) bodies[i]
#endif

// `all` has the bodies as four arrays.
#pragma gputune global ceil_div(n, OUTER_UNROLL_FACTOR)
#pragma gputune local WORK_GROUP_SIZE_X
__kernel void nbody(int n, float softening, __global const float4 *bodies,
                    __global const float *all, __global float4 *pull)
{
    const int first = get_global_id(0) * OUTER_UNROLL_FACTOR;
    float4 mine[OUTER_UNROLL_FACTOR], sum[OUTER_UNROLL_FACTOR];
#if LOCAL_MEM
    __local float4 tile[WORK_GROUP_SIZE_X];
#endif
    for (int k = 0; k < OUTER_UNROLL_FACTOR; k++) {
        mine[k] = BODY(min(first + k, n - 1));
        sum[k] = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
    }
    for (int begin = 0; begin < n; begin += WORK_GROUP_SIZE_X) {
        const int length = min(n - begin, WORK_GROUP_SIZE_X);
#if LOCAL_MEM
        if (get_local_id(0) < length) tile[get_local_id(0)] = BODY(begin + get_local_id(0));
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
#if INNER_UNROLL_FACTOR1 > 0
#pragma unroll INNER_UNROLL_FACTOR1
#endif
        for (int i = 0; i < length; i++) {
#if LOCAL_MEM
            const float4 other = tile[i];
#else
            const float4 other = BODY(begin + i);
#endif
#if INNER_UNROLL_FACTOR2 > 0
#pragma unroll INNER_UNROLL_FACTOR2
#endif
            for (int k = 0; k < OUTER_UNROLL_FACTOR; k++) {
                const float x = other.x - mine[k].x, y = other.y - mine[k].y;
                const float z = other.z - mine[k].z;
                const float inverse = rsqrt(x * x + y * y + z * z + softening);
                const float strength = other.w * inverse * inverse * inverse;
                sum[k].x += strength * x;
                sum[k].y += strength * y;
                sum[k].z += strength * z;
            }
        }
#if LOCAL_MEM
        barrier(CLK_LOCAL_MEM_FENCE);
#endif
    }
    for (int k = 0; k < OUTER_UNROLL_FACTOR; k++)
        if (first + k < n) pull[first + k] = sum[k];
}
