// Lambdas that ask for ids themselves, with and without captures.
//: kernel id_lambda
//: launch 96 / 32
//: thread maybe
//: group maybe
//: range no ids in a lambda that does not capture all
//: args int[96] = mod 35; int[96] = 0
__global__ void id_lambda(const int *in, int *out)
{
    auto index = [] { return blockIdx.x * blockDim.x + threadIdx.x; };
    auto copy = [=]() { out[index()] = in[index()] + (int)threadIdx.x; };
    copy();
}
