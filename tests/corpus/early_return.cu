// Returns at the top and in the middle, none before a barrier; parameters change.
//: kernel early_return
//: launch 640 / 64
//: thread yes
//: group yes
//: args int[600] = mod 97; int[640] = -7; int 600; int 50
__global__ void early_return(const int *in, int *out, int n, int limit)
{
    const int i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= n) return;
    in += i;
    out += i;
    int value = *in;
    if (value < limit) {
        *out = value;
        return;
    }
    limit += i;
    while (true) {
        value += 13;
        if (value > limit) return;
        if (value % 5 == 0) break;
    }
    *out = value + limit;
}
