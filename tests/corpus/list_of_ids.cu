// A struct whose list of values says ids, merged.
//: kernel list_of_ids
//: launch 32 16 / 8 4
//: thread yes
//: group yes
//: merge yes
//: args int[512] = mod 7; int[512] = 0
__global__ void list_of_ids(const int *in, int *out)
{
    int2 at = { (int)(blockIdx.x * blockDim.x + threadIdx.x),
                (int)(blockIdx.y * blockDim.y + threadIdx.y) };
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += in[(at.x + i) % 32 + at.y * 32];
    out[at.y * 32 + at.x] = sum;
}
