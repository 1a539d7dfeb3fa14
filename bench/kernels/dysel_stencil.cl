// One step of a 7-point stencil in three dimensions, on the points inside the border.

#define INDEX(x, y, z) ((x) + nx * ((y) + ny * (z)))
#define C0 (1.0f / 6)
#define C1 (1.0f / 36)

// A point a work-item.
#pragma gputune global nx - 2, ny - 2, nz - 2
#pragma gputune local 32, 4, 1
__kernel void stencil_base(int nx, int ny, int nz, __global const float *before,
                           __global float *after)
{
    const int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = get_global_id(2) + 1;
    if (x < nx - 1 && y < ny - 1 && z < nz - 1)
        after[INDEX(x, y, z)] =
            (before[INDEX(x, y, z + 1)] + before[INDEX(x, y, z - 1)] +
             before[INDEX(x, y + 1, z)] + before[INDEX(x, y - 1, z)] +
             before[INDEX(x + 1, y, z)] + before[INDEX(x - 1, y, z)]) * C1 -
            before[INDEX(x, y, z)] * C0;
}

// A work-item does CHUNK points above each other and has three of them in registers.
#pragma gputune set 16,64
#define CHUNK 16

#pragma gputune global nx - 2, ny - 2, ceil_div(nz - 2, CHUNK)
#pragma gputune local 32, 4, 1
__kernel void stencil_chunk(int nx, int ny, int nz, __global const float *restrict before,
                            __global float *restrict after)
{
    const int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    const int first = get_global_id(2) * CHUNK + 1;
    if (x < nx - 1 && y < ny - 1) {
        float below = before[INDEX(x, y, first - 1)], centre = before[INDEX(x, y, first)];
        for (int i = 0; i < CHUNK; i++) {
            const int z = first + i;
            if (z < nz - 1) {
                const float above = before[INDEX(x, y, z + 1)];
                after[INDEX(x, y, z)] =
                    (above + below + before[INDEX(x, y + 1, z)] + before[INDEX(x, y - 1, z)] +
                     before[INDEX(x + 1, y, z)] + before[INDEX(x - 1, y, z)]) * C1 - centre * C0;
                below = centre;
                centre = above;
            }
        }
    }
}

// The same through the whole height.
#pragma gputune global nx - 2, ny - 2, 1
#pragma gputune local 32, 4, 1
__kernel void stencil_walk(int nx, int ny, int nz, __global const float *restrict before,
                           __global float *restrict after)
{
    const int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    if (x < nx - 1 && y < ny - 1) {
        float below = before[INDEX(x, y, 0)], centre = before[INDEX(x, y, 1)];
        for (int z = 1; z < nz - 1; z++) {
            const float above = before[INDEX(x, y, z + 1)];
            after[INDEX(x, y, z)] =
                (above + below + before[INDEX(x, y + 1, z)] + before[INDEX(x, y - 1, z)] +
                 before[INDEX(x + 1, y, z)] + before[INDEX(x - 1, y, z)]) * C1 - centre * C0;
            below = centre;
            centre = above;
        }
    }
}

// The same, and neighbours within a plane come through local memory.
#pragma gputune global nx - 2, ny - 2, 1
#pragma gputune local 32, 8, 1
__kernel void stencil_tile(int nx, int ny, int nz, __global const float *restrict before,
                           __global float *restrict after)
{
    __local float plane[10][34];
    const int i = get_local_id(0) + 1, j = get_local_id(1) + 1;
    const int x = min((int)get_global_id(0) + 1, nx - 1);
    const int y = min((int)get_global_id(1) + 1, ny - 1);
    const int inside = x < nx - 1 && y < ny - 1;
    float below = before[INDEX(x, y, 0)], centre = before[INDEX(x, y, 1)];
    for (int z = 1; z < nz - 1; z++) {
        const float above = before[INDEX(x, y, z + 1)];
        plane[j][i] = centre;
        if (i == 1)
            plane[j][0] = before[INDEX(x - 1, y, z)];
        if (i == 32 && x < nx - 1)
            plane[j][33] = before[INDEX(x + 1, y, z)];
        if (j == 1)
            plane[0][i] = before[INDEX(x, y - 1, z)];
        if (j == 8 && y < ny - 1)
            plane[9][i] = before[INDEX(x, y + 1, z)];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (inside)
            after[INDEX(x, y, z)] = (above + below + plane[j + 1][i] + plane[j - 1][i] +
                                     plane[j][i + 1] + plane[j][i - 1]) * C1 - centre * C0;
        barrier(CLK_LOCAL_MEM_FENCE);
        below = centre;
        centre = above;
    }
}
