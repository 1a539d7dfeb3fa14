// A struct by value with methods that know no ids; float4.
//: kernel apply
//: launch 64 / 16
//: thread yes
//: group yes
//: args struct int 60 float 0.5 int 2; float[256] = random -8 8; float[256] = 0
//: args struct float 1 float 2 float 3 float 4
struct Affine {
    int n;
    float gain;
    int shift;
    __device__ float operator()(float x) const { return x * gain + shift; }
    __host__ __device__ bool inside(int i) const { return i < n; }
};

__device__ __forceinline__ float4 operator+(float4 a, float4 b)
{
    return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

__global__ void apply(Affine f, const float4 *in, float4 *out, float4 bias)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (!f.inside(i)) return;
    float4 v = in[i] + bias;
    out[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}
