// A template's parameter of a macro's name elsewhere, ids and barriers in macros; beside them
// kernels and classes that do what cannot be rewritten: function pointers, methods with ids.
//: kernel add_step
//: instance add_step<3>
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 20; int[64] = 0
//: kernel shifted
//: launch 64 / 16
//: thread no shared memory
//: group yes
//: args int[64] = mod 20; int[64] = 0; int 50
//: kernel chosen
//: launch 64 / 16
//: thread no a pointer to a function that uses ids
//: group no a pointer to a function that uses ids
//: args int[64] = mod 20; int[64] = 0
//: kernel cast
//: launch 64 / 16
//: thread no a pointer to a function that uses ids
//: group no a pointer to a function that uses ids
//: args int[64] = mod 20; int[64] = 0
//: kernel overloads
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 20; int[64] = 0
//: kernel hides
//: launch 64 / 16
//: thread yes
//: group yes
//: args int[64] = mod 20; int[64] = 0
#define STEP 3
#define FLAT(d) (blockIdx.d * blockDim.d + threadIdx.d)
#define SYNC()                                                                                    \
    do {                                                                                          \
        __syncthreads();                                                                          \
    } while (0)
#ifdef __CUDA_ARCH__
#define LOAD(p) __ldg(p)
#else
#define LOAD(p) (*(p))
#endif

struct walker {
    __device__ int here() const { return blockIdx.x * blockDim.x + threadIdx.x; }
};

__device__ int one(int x) { return x + threadIdx.x; }

__global__ void by_pointer(int *out)
{
    int (*f)(int) = one;
    walker w;
    out[w.here()] = f(2);
}

template <int VALUE> __global__ void unrelated(int *out) { out[walker().here()] = VALUE; }
template __global__ void unrelated<4>(int *out);
#undef STEP

template <int STEP>
__global__ void add_step(const int *in, int *out)
{
    out[FLAT(x)] = LOAD(&in[FLAT(x)]) + STEP;
}

__global__ void shifted(const int *in, int *out, int n)
{
    __shared__ int box[16];
    box[threadIdx.x] = FLAT(x) < n ? in[FLAT(x)] : 0;
    SYNC();
    out[FLAT(x)] = box[(threadIdx.x + 1) % 16];
}

__device__ int two(int x) { return 2 * x; }
__global__ void chosen(const int *in, int *out)
{
    int (*f)(int) = in[FLAT(x)] & 1 ? one : two;
    out[FLAT(x)] = f(in[FLAT(x)]);
}

struct walked {
    int chosen; // as a kernel is called
};
__device__ int scaled(int by) { return by * 3; }
__global__ void hides(const int *in, int *out)
{
    int a = one(in[FLAT(x)]);
    {
        int plus = max(a, 1) - max(a, 1) + 1, one = scaled(a);
        walked unrelated = { one };
        out[FLAT(x)] = unrelated.chosen + plus;
    }
}

__global__ void cast(const int *in, int *out)
{
    int (*f)(int) = (int (*)(int)) & one;
    out[FLAT(x)] = f(in[FLAT(x)]);
}

__device__ int larger(int a, short b) { return 1000 + max(a, (int)b); }
__global__ void larger(int *out) { out[0] = 0; }
__global__ void overloads(const int *in, int *out)
{
    out[FLAT(x)] = (larger)(in[FLAT(x)], (short)3);
}
