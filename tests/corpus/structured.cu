// Names that auto takes apart: C++17, which NVRTC is not asked for here.
//: kernel parts
//: launch 64 / 32
//: skip nvrtc
//: thread yes
//: group yes
//: merge no a statement that is not merged
//: args int[64] = 0; int[64] = mod 50; int 60
struct two_parts {
    int low, high;
};
extern "C" __global__ void parts(int *out, const int *in, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n) return;
    auto [low, high] = two_parts{ in[i] % 8, in[i] / 8 };
    out[i] = low;
    out[i] = out[i] * 100 + high;
}
