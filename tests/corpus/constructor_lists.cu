// Members that a constructor makes behind the first, and variables made in round brackets. No array
// of a class without a default constructor can be made, of values that wait to be stored either.
//: kernel adds
//: launch 64 / 16
//: thread yes
//: group yes
//: merge no a class that has a constructor
//: args float[64] = random 0 8
//: kernel makes
//: launch 64 / 16
//: thread yes
//: group yes
//: merge yes
//: args int[64] = mod 97; int[256] = 0; int 5
//: kernel copies
//: launch 64 / 16
//: thread yes
//: group yes
//: merge yes
//: args int[128] = mod 97; int[128] = 0
template <typename T>
struct Point {
    T x, y;
    __device__ Point(const T &px = 0, const T &py = 0) : x(px), y(py) {}
    __device__ Point operator+(const Point &p) const { return Point(x + p.x, y + p.y); }
};

struct base {
};

struct __align__(8) pair final : base {
    int re, im;
    __device__ pair(int a, int b) : re(a), im(b) {}
};

__global__ void adds(float *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    Point<float> p(out[i], 1.0f), q(2.0f, 3.0f);
    p = p + q;
    out[i] = p.x + p.y;
}

__global__ void makes(const int *in, pair *out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[2 * i] = pair(in[i], i);
    out[2 * i + 1] = pair(n, i);
}

__global__ void copies(const pair *in, pair *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    out[i] = in[i];
}
