// One step of a 7-point stencil in three dimensions: one inner point a work-item.

#define INDEX(x, y, z) ((x) + nx * ((y) + ny * (z)))

#pragma gputune global nx - 2, ny - 2, nz - 2
#pragma gputune local 32, 4, 1
__kernel void stencil(float c0, float c1, __global const float *before, __global float *after,
                      int nx, int ny, int nz)
{
    int i = get_global_id(0) + 1, j = get_global_id(1) + 1, k = get_global_id(2) + 1;
    if (i < nx - 1 && j < ny - 1 && k < nz - 1)
        after[INDEX(i, j, k)] =
            (before[INDEX(i, j, k + 1)] + before[INDEX(i, j, k - 1)] +
             before[INDEX(i, j + 1, k)] + before[INDEX(i, j - 1, k)] +
             before[INDEX(i + 1, j, k)] + before[INDEX(i - 1, j, k)]) * c1 -
            before[INDEX(i, j, k)] * c0;
}
