// A warp a row, votes and shuffles without shared memory: groups only.
//: kernel warp_rows
//: launch 256 / 64
//: thread no warp
//: group yes
//: args float[480] = random -3 3; float[60] = random -4 4; float[8] = 0; int 60; uint[8] = 0
#define FULL_MASK 0xffffffffu
__global__ void warp_rows(const float *__restrict__ m, const float *__restrict__ x, float *y, int n,
                          unsigned *votes)
{
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    float sum = 0.0f;
    for (int c = lane; c < n; c += 32) sum += m[row * n + c] * x[c];
    unsigned negative = __ballot_sync(FULL_MASK, sum < 0.0f);
    for (int offset = 16; offset > 0; offset >>= 1)
        sum += __shfl_xor_sync(FULL_MASK, sum, offset);
    if (lane == 0) {
        y[row] = sum;
        votes[row] = negative;
    }
}
