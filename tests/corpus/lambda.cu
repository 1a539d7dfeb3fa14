// Lambdas that see the kernel's variables.
//: kernel with_lambda
//: launch 96 / 32
//: thread yes
//: group yes
//: args int[96] = mod 35; int[96] = 0; int 3
__global__ void with_lambda(const int *in, int *out, int factor)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    auto twice = [&](int x) { return factor * x + i; };
    auto leave = [](int x) {
        if (x > 30) return true;
        return false;
    };
    if (leave(in[i])) return;
    out[i] = twice(in[i]);
}
