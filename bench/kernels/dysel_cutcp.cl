// Coulomb potential with a cutoff on a lattice of points. Atoms lie in cubic cells as wide as the
// cutoff and EDGE points, DEPTH atoms in each; what a point feels is in 27 cells. Round the lattice
// there is a layer of cells with charge 0, so that no point needs to know where it is.

#define EDGE 8
#define DEPTH 8
#define SPACING 0.5f
#define CUTOFF 4.0f
#define SOFT 0.001f

// What an atom (position, charge) does at a point with that square of the distance.
inline float potential_of(float charge, float square)
{
    const float rest = 1.0f - square * (1.0f / (CUTOFF * CUTOFF));
    return rest > 0.0f ? charge * rsqrt(square + SOFT) * rest * rest : 0.0f;
}

// A point a work-item.
#pragma gputune global nx, ny, nz
#pragma gputune local 8, 8, 4
__kernel void cutcp_base(int nx, int ny, int nz, __global const float4 *atoms,
                         __global float *potential)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    const int cells_x = (nx + EDGE - 1) / EDGE + 2, cells_y = (ny + EDGE - 1) / EDGE + 2;
    float sum = 0.0f;
    for (int c = 0; c < 3; c++)
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++) {
                const int cell =
                    ((z / EDGE + c) * cells_y + y / EDGE + b) * cells_x + x / EDGE + a;
                for (int i = 0; i < DEPTH; i++) {
                    const float4 atom = atoms[cell * DEPTH + i];
                    const float dx = atom.x - SPACING * x, dy = atom.y - SPACING * y,
                                dz = atom.z - SPACING * z;
                    sum += potential_of(atom.w, dx * dx + dy * dy + dz * dz);
                }
            }
    if (x < nx && y < ny && z < nz)
        potential[(z * ny + y) * nx + x] = sum;
}

// Four points above each other a work-item, which have half of the distance in common.
#pragma gputune global nx, ny, ceil_div(nz, 8) * 2
#pragma gputune local 8, 8, 2
__kernel void cutcp_coarse(int nx, int ny, int nz, __global const float4 *restrict atoms,
                           __global float *restrict potential)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2) * 4;
    const int cells_x = (nx + EDGE - 1) / EDGE + 2, cells_y = (ny + EDGE - 1) / EDGE + 2;
    float sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    for (int c = 0; c < 3; c++)
        for (int b = 0; b < 3; b++)
            for (int a = 0; a < 3; a++) {
                const int cell =
                    ((z / EDGE + c) * cells_y + y / EDGE + b) * cells_x + x / EDGE + a;
                for (int i = 0; i < DEPTH; i++) {
                    const float4 atom = atoms[cell * DEPTH + i];
                    const float dx = atom.x - SPACING * x, dy = atom.y - SPACING * y;
                    const float flat = dx * dx + dy * dy;
#pragma unroll
                    for (int p = 0; p < 4; p++) {
                        const float dz = atom.z - SPACING * (z + p);
                        sum[p] += potential_of(atom.w, flat + dz * dz);
                    }
                }
            }
    if (x < nx && y < ny) {
#pragma unroll
        for (int p = 0; p < 4; p++)
            if (z + p < nz)
                potential[((z + p) * ny + y) * nx + x] = sum[p];
    }
}

// The same; the atoms that a work-group needs, which lies in one cell, come through local memory.
#pragma gputune global nx, ny, ceil_div(nz, 8) * 2
#pragma gputune local 8, 8, 2
__kernel void cutcp_local(int nx, int ny, int nz, __global const float4 *restrict atoms,
                          __global float *restrict potential)
{
    __local float4 stage[27 * DEPTH];
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2) * 4;
    const int cells_x = (nx + EDGE - 1) / EDGE + 2, cells_y = (ny + EDGE - 1) / EDGE + 2;
    float sum[4] = { 0.0f, 0.0f, 0.0f, 0.0f };
    const int id = get_local_id(0) + 8 * (get_local_id(1) + 8 * get_local_id(2));
    for (int t = 0; t < 27 * DEPTH; t += 128) {
        const int i = min(t + id, 27 * DEPTH - 1); // what does not divide is done again
        const int a = i / DEPTH % 3, b = i / DEPTH / 3 % 3, c = i / DEPTH / 9;
        const int cell = ((z / EDGE + c) * cells_y + y / EDGE + b) * cells_x + x / EDGE + a;
        stage[i] = atoms[cell * DEPTH + i % DEPTH];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 27 * DEPTH; i++) {
        const float4 atom = stage[i];
        const float dx = atom.x - SPACING * x, dy = atom.y - SPACING * y;
        const float flat = dx * dx + dy * dy;
#pragma unroll
        for (int p = 0; p < 4; p++) {
            const float dz = atom.z - SPACING * (z + p);
            sum[p] += potential_of(atom.w, flat + dz * dz);
        }
    }
    if (x < nx && y < ny) {
#pragma unroll
        for (int p = 0; p < 4; p++)
            if (z + p < nz)
                potential[((z + p) * ny + y) * nx + x] = sum[p];
    }
}
