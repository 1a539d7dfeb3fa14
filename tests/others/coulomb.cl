// The potential of charged atoms at the points of a cube. Space and restrictions are those of KTT's
// example coulomb_sum_3d: 64 work-items at least, vectors of arrays alone.
#pragma gputune set 16,32
#define WORK_GROUP_SIZE_X 16
#pragma gputune set 1,2,4,8
#define WORK_GROUP_SIZE_Y 4
#pragma gputune set 0,1,2,4,8,16,32
#define INNER_UNROLL_FACTOR 0
#pragma gputune set 1,2,4,8,16,32
#define Z_ITERATIONS 1
#pragma gputune bool
#define USE_CONSTANT_MEMORY 0
#pragma gputune bool
#define USE_SOA 0
#pragma gputune set 1,2,4,8,16
#define VECTOR_SIZE 1
#pragma gputune require WORK_GROUP_SIZE_X * WORK_GROUP_SIZE_Y >= 64
#pragma gputune require USE_SOA || VECTOR_SIZE == 1
#pragma gputune require INNER_UNROLL_FACTOR < count

#if USE_CONSTANT_MEMORY
#define ATOMS __constant
#else
#define ATOMS __global const
#endif
#if VECTOR_SIZE == 1
typedef float vector;
#elif VECTOR_SIZE == 2
typedef float2 vector;
#elif VECTOR_SIZE == 4
typedef float4 vector;
#elif VECTOR_SIZE == 8
typedef float8 vector;
#else
typedef float16 vector;
#endif

// atoms: x, y, z and the charge of each; `all` has the same as four arrays.
#pragma gputune global size, size, ceil_div(size, Z_ITERATIONS)
#pragma gputune local WORK_GROUP_SIZE_X, WORK_GROUP_SIZE_Y, 1
__kernel void coulomb(int count, int size, float spacing, ATOMS float4 *atoms, ATOMS float *all,
                      __global float *energy)
{
    const int x = get_global_id(0), y = get_global_id(1), z0 = get_global_id(2) * Z_ITERATIONS;
    vector sum[Z_ITERATIONS];
    for (int z = 0; z < Z_ITERATIONS; z++) sum[z] = (vector)(0.0f);
#if INNER_UNROLL_FACTOR > 0
#pragma unroll INNER_UNROLL_FACTOR
#endif
    for (int i = 0; i < count / VECTOR_SIZE; i++) {
#if USE_SOA
        const vector dx = spacing * x - ((ATOMS vector *)all)[i];
        const vector dy = spacing * y - ((ATOMS vector *)(all + count))[i];
        const vector q = ((ATOMS vector *)(all + 3 * count))[i];
        vector dz = spacing * z0 - ((ATOMS vector *)(all + 2 * count))[i];
#else
        const float4 atom = atoms[i];
        const float dx = spacing * x - atom.x, dy = spacing * y - atom.y, q = atom.w;
        float dz = spacing * z0 - atom.z;
#endif
        const vector flat = dx * dx + dy * dy;
        for (int z = 0; z < Z_ITERATIONS; z++) {
            sum[z] += q * rsqrt(flat + dz * dz);
            dz += spacing;
        }
    }
    for (int z = 0; z < Z_ITERATIONS; z++) {
        const float *part = (const float *)&sum[z];
        float all_parts = 0.0f;
        for (int k = 0; k < VECTOR_SIZE; k++) all_parts += part[k];
        if (x < size && y < size && z0 + z < size)
            energy[((z0 + z) * size + y) * size + x] = all_parts;
    }
}
