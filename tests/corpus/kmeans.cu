// Several kernels in a file, one with a shared table that all threads load.
//: kernel assign
//: launch 160 / 32
//: thread no shared memory
//: group yes
//: args float[300] = random -10 10; float[10] = random -10 10; int[150] = -1; int 150; int 5
//: kernel gather_sums
//: launch 160 / 32
//: thread yes
//: group yes
//: args int[150] = mod 50; int[150] = mod 5; int[5] = 0; int[5] = 0; int 150
__global__ void assign(const float *__restrict__ points, const float *__restrict__ centres,
                       int *labels, int n, int k)
{
    __shared__ float2 table[16];
    if (threadIdx.x < k)
        table[threadIdx.x] = make_float2(centres[2 * threadIdx.x], centres[2 * threadIdx.x + 1]);
    __syncthreads();
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    float best = 1e30f;
    int label = 0;
    for (int c = 0; c < k; ++c) {
        const float x = points[2 * i] - table[c].x, y = points[2 * i + 1] - table[c].y;
        const float d = x * x + y * y;
        if (d < best) best = d, label = c;
    }
    labels[i] = label;
}

__global__ void gather_sums(const int *values, const int *labels, int *sums, int *counts, int n)
{
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    atomicAdd(&sums[labels[i]], values[i]);
    atomicAdd(counts + labels[i], 1);
}
