// Prefix sums with two halves of one array, threads with two elements each.
//: kernel scan
//: launch 64 / 16
//: thread no shared memory
//: group yes
//: args int[128] = random 0 10; int[128] = 0; int[4] = 0
#define N 32
__global__ void scan(const int *in, int *out, int *sums)
{
    __shared__ int temp[N], total;
    const int t = threadIdx.x, base = blockIdx.x * N;
    int offset = 1;
    temp[2 * t] = in[base + 2 * t];
    temp[2 * t + 1] = in[base + 2 * t + 1];
    for (int d = N >> 1; d > 0; d >>= 1) {
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
            temp[bi] += temp[ai];
        }
        offset *= 2;
    }
    if (t == 0) {
        total = temp[N - 1];
        temp[N - 1] = 0;
    }
    for (int d = 1; d < N; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
            int keep = temp[ai];
            temp[ai] = temp[bi];
            temp[bi] += keep;
        }
    }
    __syncthreads();
    out[base + 2 * t] = temp[2 * t];
    out[base + 2 * t + 1] = temp[2 * t + 1];
    if (t == 0) sums[blockIdx.x] = total;
}
