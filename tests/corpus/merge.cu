// What merging makes of CUDA C's statements.
//: kernel bodies
//: launch 96 / 32
//: thread yes
//: group yes
//: merge yes
//: args float[384] = 0; float[384] = random -2 2; int 90
extern "C" __global__ void bodies(float *__restrict__ out, const float *__restrict__ in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const float4 *p = (const float4 *)in;
    float4 me = p[i];
    float x = 0, y = 0, z = 0;
    for (int j = 0; j < n; j++) {
        float4 o = p[j];
        float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
        float s = o.w * (dx * dx + dy * dy + dz * dz + 0.5f);
        x += dx * s;
        y += dy * s;
        z += dz * s;
    }
    ((float4 *)out)[i] = make_float4(x, y, z, 0);
}
//: kernel sizes
//: launch 120 / 24
//: thread yes
//: group yes
//: merge yes
//: args int[120] = 0; int[120] = mod 100; int 120
extern "C" __global__ void sizes(int *out, const int *in, int n)
{
    const unsigned at = threadIdx.x + blockIdx.x * blockDim.x;
    int sum = 0;
    for (unsigned k = 0; k < blockDim.x; k += 2u) // sizes are the same for all
        sum += in[(at + k) % n];
    if (at < (unsigned)n) {
        out[at] = sum + (int)gridDim.x;
    }
}
//: kernel add_all
//: instance add_all<int>
//: launch 64 / 32
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = 0; int[256] = mod 100; int 4
template <typename T>
__global__ void add_all(T *out, const T *in, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    T sum = T(0);
    for (int k = 0; k < n; ++k) sum += in[i * n + k];
    out[i] = sum;
}
//: kernel by_reference
//: launch 64 / 32
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = 0; int 4
static __device__ void step(int &k) { k += 2; }
extern "C" __global__ void by_reference(int *out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x, sum = 0;
    for (int k = 0; k < n + i; k++) {
        step(k);
        sum += k;
    }
    for (int k = 0; k < n; k++) {
        step(k); // changes it, for each item
        sum += k;
    }
    out[i] = sum;
}
//: kernel typed
//: launch 64 / 32
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = 0; int 4
template <typename T>
struct holder {
    T x;
};
extern "C" __global__ void typed(int *out, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    holder<int> h = { n };
    out[i] = h.x + i;
}
//: kernel pushes
//: launch 64 / 32
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = 0; int[256] = mod 50; int 4
struct widest {
    int most, count;
    __device__ void push(int x)
    {
        most = x > most ? x : most;
        count++;
    }
};
extern "C" __global__ void pushes(int *out, const int *in, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    widest w;
    w.most = w.count = 0;
    for (int k = 0; k < n; k++) w.push(in[i * n + k]); // a method changes it
    out[i] = w.most + 100 * w.count;
}
//: kernel skips
//: launch 64 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[64] = 0; int[256] = mod 50; int 4
extern "C" __global__ void skips(int *out, const int *in, int n)
{
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    for (int k = 0; k < n; k++) {
        switch (in[i * n + k] % 3) {
        case 0: continue; // of the loop
        case 1: out[i] += 7; break;
        }
        out[i] = out[i] * 2 + in[i * n + k];
    }
}
