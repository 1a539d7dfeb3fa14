// Methods that ask for ids.
//: kernel through_method
//: launch 64 / 16
//: thread maybe
//: group maybe
//: range no ids are used outside of a plain function
//: args int[64] = mod 30; int[64] = 0
struct Indexer {
    int offset;
    __device__ int at() const { return blockIdx.x * blockDim.x + threadIdx.x + offset; }
    __device__ static int lane() { return threadIdx.x; }
};

__global__ void through_method(const int *in, int *out)
{
    Indexer index = { 0 };
    out[index.at()] = in[index.at()] + Indexer::lane();
}
