// A tile with a halo, in registers along the third dimension.
//: kernel stencil
//: launch 16 8 / 8 4
//: thread no shared memory
//: group yes
//: args int[640] = mod 50; int[640] = 0; int 5
//: kernel laplace
//: launch 15 10 / 5 5
//: thread yes
//: group yes
//: args float[130] = random -8 8; float[130] = 0; int 13; int 10
__global__ void stencil(const int *__restrict__ in, int *out, int nz)
{
    __shared__ int plane[4 + 2][8 + 2];
    const int nx = gridDim.x * blockDim.x, ny = gridDim.y * blockDim.y;
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    int below = 0, here = in[y * nx + x];
    for (int z = 0; z < nz; z++) {
        const int above = z + 1 < nz ? in[((z + 1) * ny + y) * nx + x] : 0;
        const int *p = in + z * nx * ny;
        __syncthreads();
        plane[ty][tx] = here;
        if (tx == 1) plane[ty][0] = x > 0 ? p[y * nx + x - 1] : 0;
        if (tx == 8) plane[ty][9] = x < nx - 1 ? p[y * nx + x + 1] : 0;
        if (ty == 1) plane[0][tx] = y > 0 ? p[(y - 1) * nx + x] : 0;
        if (ty == 4) plane[5][tx] = y < ny - 1 ? p[(y + 1) * nx + x] : 0;
        __syncthreads();
        out[(z * ny + y) * nx + x] = plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] +
                                     plane[ty + 1][tx] + below + above - 6 * here;
        below = here;
        here = above;
    }
}

__global__ void laplace(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= 1 && y >= 1 && x < width - 1 && y < height - 1) {
        float sum = -4.0f * in[y * width + x];
        sum += in[y * width + x - 1] + in[y * width + x + 1];
        sum += in[(y - 1) * width + x] + in[(y + 1) * width + x];
        out[y * width + x] = sum;
    }
}
