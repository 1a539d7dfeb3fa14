// A 7-point stencil in three dimensions, with sizes that nothing divides.
//: kernel stencil3d
//: launch 13 11 7
//: thread yes
//: args float[1001] = random -8 8; float[1001] = 0; int 13; int 11; int 7
#define AT(x, y, z) ((z) * nx * ny + (y) * nx + (x))
__kernel void stencil3d(__global const float *in, __global float *out, int nx, int ny, int nz)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x > 0 && y > 0 && z > 0 && x < nx - 1 && y < ny - 1 && z < nz - 1)
        out[AT(x, y, z)] = in[AT(x - 1, y, z)] + in[AT(x + 1, y, z)] + in[AT(x, y - 1, z)] +
                           in[AT(x, y + 1, z)] + in[AT(x, y, z - 1)] + in[AT(x, y, z + 1)] -
                           6.0f * in[AT(x, y, z)];
}
