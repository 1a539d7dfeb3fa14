// Warps: a scan by shuffles, ranks that votes give.
//: kernel warp_scan
//: launch 192 / 64
//: thread no shared memory
//: group yes
//: plain warp_scan_plain
//: args int[192] = random -20 20; int[192] = 0
//: kernel radix_ranks
//: launch 128 / 32
//: thread no what a warp does together
//: group yes
//: plain radix_ranks_plain
//: args uint[128] = mod 977; uint[128] = 0; int 3
__device__ __forceinline__ int scan_of_lane(int value, unsigned lane)
{
#pragma unroll
    for (unsigned by = 1; by < 32; by <<= 1) {
        const int other = __shfl_up_sync(0xffffffffu, value, by);
        value += lane >= by ? other : 0;
    }
    return value;
}

__global__ void warp_scan(const int *__restrict__ in, int *__restrict__ out)
{
    __shared__ int sums[2];
    const unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    int total = scan_of_lane(in[i], lane);
    if (lane == 31) sums[warp] = total;
    __syncthreads();
    out[i] = warp ? total + sums[warp - 1] : total;
}

__global__ void warp_scan_plain(const int *in, int *out)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int block = 0; block < 192; block += 64)
        for (int i = 0, sum = 0; i < 64; i++) out[block + i] = sum += in[block + i];
}

// The place of each key among its warp's by two bits, in the order in which they come.
__global__ void radix_ranks(const unsigned *keys, unsigned *ranks, int shift)
{
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
    const unsigned digit = keys[i] >> shift & 3u, below = (1u << lane) - 1u;
    unsigned rank = 0, d = 0;
    do {
        const unsigned votes = __ballot_sync(~0u, digit == d);
        if (d < digit)
            rank += __popc(votes);
        else if (d == digit)
            rank += __popc(votes & below);
    } while (++d < 4);
    ranks[i] = rank;
}

__global__ void radix_ranks_plain(const unsigned *keys, unsigned *ranks, int shift)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int warp = 0; warp < 128; warp += 32)
        for (int i = 0; i < 32; i++) {
            unsigned rank = 0;
            for (int k = 0; k < 32; k++) {
                const unsigned own = keys[warp + i] >> shift & 3;
                const unsigned other = keys[warp + k] >> shift & 3;
                rank += other < own || (other == own && k < i);
            }
            ranks[warp + i] = rank;
        }
}
