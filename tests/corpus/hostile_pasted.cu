// Ids pasted together, kernels that a macro makes, numbers with separators, raw strings.
//: kernel pasted
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = 0
//: kernel scale_int
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 20
//: kernel literals
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 20
#define COORD(what, c) what##Idx.c
#define FULL(c) (COORD(block, c) * block##Dim.c + COORD(thread, c))
#define blockDimension blockDim
#define MAKE(T) \
    __global__ void scale_##T(T *data) \
    { \
        const int i = blockIdx.x * blockDim.x + threadIdx.x; \
        data[i] = data[i] * 3 + 1; \
    }

__global__ void pasted(int *out)
{
#define blockDim blockDimension
#undef blockDim
    out[blockIdx.x * 16 + threadIdx.x] = COORD(thread, x) + 100 * COORD(block, x) + 7;
}

MAKE(int)

__global__ void literals(int *data)
{
    const char *text = R"x(blockIdx { " __syncthreads(); )" )x";
    const int i = blockIdx.x * blockDim.x + threadIdx.x, big = 1'000'000, c = '\'' + '{';
    data[i] += big + c + (text[0] == 'b');
}
