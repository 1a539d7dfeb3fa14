// Classes of the program's own: operators, constructors, conversions, constant expressions.
//: kernel rotate_points
//: launch 64 / 16
//: thread yes
//: group yes
//: plain rotate_points_plain
//: args int[192] = random -40 40; int[192] = 0; struct int 1 int 2 int -1 int 3; int 63
//: kernel fixed_point
//: launch 96 / 24
//: thread yes
//: group yes
//: plain fixed_point_plain
//: args int[96] = random -3000 3000; int[96] = 0; int 91
//: kernel polynomial
//: launch 80 / 16
//: thread yes
//: group yes
//: plain polynomial_plain
//: args int[80] = random -11 11; int[80] = 0; int 79
struct quaternion {
    int w, x, y, z;
    __device__ quaternion operator*(const quaternion &o) const
    {
        return { w * o.w - x * o.x - y * o.y - z * o.z, w * o.x + x * o.w + y * o.z - z * o.y,
                 w * o.y - x * o.z + y * o.w + z * o.x, w * o.z + x * o.y - y * o.x + z * o.w };
    }
    __device__ quaternion operator~() const { return { w, -x, -y, -z }; }
};

__global__ void rotate_points(const int *in, int *out, quaternion by, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    quaternion p = { 0, in[3 * i], in[3 * i + 1], in[3 * i + 2] };
    const quaternion turned = by * p * ~by;
    out[3 * i] = turned.x, out[3 * i + 1] = turned.y, out[3 * i + 2] = turned.z;
}

// Rodrigues's matrix of the quaternion.
__global__ void rotate_points_plain(const int *in, int *out, quaternion q, int n)
{
    if (blockIdx.x || threadIdx.x) return;
    const int w = q.w, x = q.x, y = q.y, z = q.z;
    const int m[9] = { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
                       2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
                       2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z };
    for (int i = 0; i < n; i++)
        for (int r = 0; r < 3; r++)
            out[3 * i + r] = m[3 * r] * in[3 * i] + m[3 * r + 1] * in[3 * i + 1] +
                             m[3 * r + 2] * in[3 * i + 2];
}

class fixed {
    int bits;

public:
    __device__ explicit fixed(int raw) : bits(raw) {}
    __device__ static fixed whole(int value) { return fixed(value * 256); }
    __device__ fixed &operator+=(fixed o)
    {
        bits += o.bits;
        return *this;
    }
    __device__ friend fixed operator*(fixed a, fixed b) { return fixed((a.bits * b.bits) >> 8); }
    __device__ friend bool operator<(fixed a, fixed b) { return a.bits < b.bits; }
    __device__ explicit operator int() const { return bits; }
};

__global__ void fixed_point(const int *in, int *out, int n)
{
    const unsigned i = blockDim.x * blockIdx.x + threadIdx.x;
    if (i >= static_cast<unsigned>(n)) return;
    fixed x(in[i]);
    fixed sum = x * x;
    sum += x < fixed::whole(2) ? fixed::whole(3) : x;
    out[i] = int(sum);
}

__global__ void fixed_point_plain(const int *in, int *out, int n)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int i = 0; i < n; i++) out[i] = (in[i] * in[i] >> 8) + (in[i] < 512 ? 768 : in[i]);
}

// Coefficients that the compiler computes, from the highest to the lowest.
template <int N> struct series {
    int term[N];
    constexpr __device__ series() : term()
    {
        for (int k = 0; k < N; k++) term[k] = k * k - 3;
    }
    constexpr __device__ int operator[](int k) const { return term[k]; }
};

constexpr __device__ int degree(int bits)
{
    return bits > 1 ? 1 + degree(bits / 2) : 0;
}

__global__ void polynomial(const int *in, int *out, int n)
{
    constexpr int terms = degree(32) + 1;
    constexpr series<terms> c;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int value = 0;
        for (int k = terms - 1; k >= 0; --k) value = value * in[i] + c[k];
        out[i] = value;
    }
}

__global__ void polynomial_plain(const int *in, int *out, int n)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int i = 0; i < n; i++) {
        const int x = in[i];
        out[i] = -3 - 2 * x + x * x + 6 * x * x * x + 13 * x * x * x * x + 22 * x * x * x * x * x;
    }
}
