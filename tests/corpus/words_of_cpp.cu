// Attributes, operators as words, separators of digits, types behind the parameters, literals of
// one's own.
//: kernel words_of_cpp
//: launch 96 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[96] = mod 35; int[96] = 0; int 90
[[nodiscard]] __device__ auto own(int v) -> int { return v * 2 + (int)threadIdx.x; }
__device__ constexpr unsigned operator""_u(unsigned long long v) { return (unsigned)v + 1; }

// [[ in a comment, not and or
__global__ void words_of_cpp([[maybe_unused]] const int *in, int *out, int n)
{
    const int i = blockIdx.x * 3'2 + threadIdx.x; [[maybe_unused]] int more = 1'000;
    if (not (i < n) or i == 1'7) [[unlikely]] return;
    int v = in[i] bitand 0x1'f;
    if (v not_eq 3 and i < 1'000'000) [[likely]] { v xor_eq 5; v or_eq 8; }
    v = v bitand compl 2, v and_eq 0x3f;
    out[i] = own(v) + (int)7_u + more;
}

//: kernel behind
//: launch 96 / 32
//: thread yes
//: group yes
//: args int[96] = mod 35; int[96] = 0
__global__ auto behind(const int *in, int *out) -> void
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    switch (in[i] % 3) {
    case 0: out[i] = 1; [[fallthrough]];
    case 1: out[i] += in[i]; break;
    default: out[i] = -in[i];
    }
}
