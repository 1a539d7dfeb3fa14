// Gravity between bodies {x, y, z, mass} (jia-starchart, table I): the acceleration of each. A
// work-group takes X bodies and Y threads for each; they share what pulls at it, X * Y bodies at a
// time in local memory, and add up their parts in the end.

#pragma gputune range 1,1024
#define X 256
#pragma gputune range 1,1024
#define Y 1
#pragma gputune range 1,8
#define UNROLL 1
#pragma gputune require X * Y <= min(1024, max_group_size)
#pragma gputune require 16 * X * Y <= local_memory

#pragma gputune global bodies, Y
#pragma gputune local X, Y
__kernel void nbody(int bodies, float softening, __global const float4 *position,
                    __global float4 *acceleration)
{
    __local float4 shared[X * Y];
    const int x = get_local_id(0), y = get_local_id(1), body = get_global_id(0);
    const float4 mine = position[min(body, bodies - 1)];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int first = 0; first < bodies; first += X * Y) {
        const int other = first + y * X + x;
        if (other < bodies)
            shared[y * X + x] = position[other];
        barrier(CLK_LOCAL_MEM_FENCE);
        const int count = min(X, bodies - first - y * X);
        int i = 0;
#define PULL(at)                                                                                  \
    do {                                                                                          \
        const float4 o = shared[y * X + (at)];                                                    \
        const float dx = o.x - mine.x, dy = o.y - mine.y, dz = o.z - mine.z;                      \
        const float inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);                     \
        const float strength = o.w * inverse * inverse * inverse;                                 \
        ax += strength * dx;                                                                      \
        ay += strength * dy;                                                                      \
        az += strength * dz;                                                                      \
    } while (0)
        for (; i + UNROLL <= count; i += UNROLL) {
#pragma unroll
            for (int u = 0; u < UNROLL; u++)
                PULL(i + u);
        }
        for (; i < count; i++)
            PULL(i);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    shared[y * X + x] = (float4)(ax, ay, az, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (y == 0 && body < bodies) {
        float4 sum = shared[x];
        for (int j = 1; j < Y; j++)
            sum += shared[j * X + x];
        acceleration[body] = sum;
    }
}
