// Names, scopes and values of CUDA C++, as merging reads them.
//: kernel deduced
//: launch 96 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[96] = mod 40; int[96] = 0; int 90
extern "C" __global__ void deduced(const int *in, int *out, int n)
{
    const auto i = blockIdx.x * blockDim.x + threadIdx.x;
    const auto wide = blockDim.x, twice = i * 2;
    if (i >= n) return;
    const auto *here = in + i;
    auto sum = *here;
    for (auto k = 0u; k < wide; k += 8) sum += in[(twice + k) % 96u];
    out[i] = sum;
}
//: kernel built
//: launch 64 / 16
//: thread yes
//: group yes
//: merge yes
//: args int[64] = mod 40; int[64] = 0; int 5
struct corner {
    int x, y;
};
extern "C" __global__ void built(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const dim3 box(in[i], 2, 1);
    int least{n - i};
    int most(in[i]);
    corner c = { i, most }, d[2] = { { 1, n }, { in[0], i } };
    for (int k = 0; k < n; k++) most += k * c.y + d[k & 1].x;
    for (int k = 0; k < n; k++) least -= d[1].y + box.x;
    out[i] = least * box.y + most;
}
//: kernel refers
//: launch 64 / 16
//: thread yes
//: group yes
//: merge yes
//: args int[64] = mod 40; int[64] = 0; int 5; int 9
template <class T>
__device__ void add_to(T &to, T x)
{
    to += x;
}
struct counter {
    int count;
    __device__ int operator()(int x) { return count += x; }
};
extern "C" __global__ void refers(const int *in, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0, other = 1;
    counter c;
    c.count = i;
    {
        int &less = in[i] > 20 ? n : m; // one of the parameters
        less += i;
    }
    add_to<int>(other, in[i]);
    (int &)m += 2;
    for (int k = 0; k < 3; k++) sum += c(k) + other;
    for (int k = 0; k < n; k++) sum += m;
    out[i] = sum;
}
//: kernel decays
//: launch 64 / 16
//: thread yes
//: group yes
//: merge yes
//: args int[64] = mod 40; int[64] = 0; struct int 4 int 5 int 6
struct three {
    int at[3];
};
extern "C" __global__ void decays(const int *in, int *out, three by)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    int *p = by.at; // what changes by way of it is the item's own
    p[1] += in[i];
    for (int k = 0; k < by.at[1]; k++) sum += k;
    out[i] = sum + by.at[0];
}
//: kernel refuse_outlived
//: launch 64 / 16
//: thread yes
//: group yes
//: merge no a reference that is used later
//: args int[64] = mod 40; int[64] = 0; int 5
extern "C" __global__ void refuse_outlived(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int &to = out[i];
    for (int k = 0; k < n; k++) to += in[i] * k;
}
//: kernel refuse_constructed
//: launch 64 / 16
//: thread yes
//: group yes
//: merge no a class that has a constructor
//: args int[64] = mod 40; int[64] = 0; int 5
struct made {
    int x;
    __device__ made(int of) : x(of * 2) {}
};
extern "C" __global__ void refuse_constructed(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    made m(in[i]);
    for (int k = 0; k < n; k++) out[i] += m.x + k;
}
//: kernel takes_time
//: launch 32 / 16
//: thread yes
//: group yes
//: merge yes
//: args int[32] = 0; long 50
extern "C" __global__ void takes_time(int *out, long long least)
{
    const long long start = clock64();
    while (clock64() - start < least) continue;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
//: kernel refuse_clock
//: launch 32 / 16
//: skip emulate nvrtc
//: thread no a loop that waits for others
//: group no a loop that waits for others
//: range no a loop that waits for others
//: args int[32] = 0; int 5
extern "C" __global__ void refuse_clock(volatile int *out, int clock)
{
    while (out[0] < clock) continue;
    out[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
//: kernel ranges
//: launch 64 / 16
//: thread yes
//: group yes
//: merge yes
//: args int[64] = mod 40; int[64] = 0; int 5
extern "C" __global__ void ranges(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    int own[3] = { in[i], i, n }, left = 2;
    for (int &each : own) each += left--;
    for (const int each : { 1, 5, 7 }) sum += each * own[i % 3];
    for (auto each : own)
        for (int k = 0; k < 2; k++) sum += each << k;
    out[i] = sum;
}
//: kernel counts_by_reference
//: launch 128 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[128] = mod 97; int[1024] = 0; int 5; int 9
extern "C" __global__ void counts_by_reference(const int *in, int *out, int n, int m)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x, c = 3;
    for (int k = 0; k < 7; k++) {
        int &r = k;
        if (in[i] % 3 == 1) r++;
        out[8 * i + k] = in[i] + k;
    }
    for (int k = 0; k < 6; k++) {
        (in[i] > 40 ? k : c) += 1;
        out[8 * i + k] += c;
        out[8 * i + 7] += k;
    }
    (in[i] > 40 ? n : m) += in[i];
    *&(in[i] & 1 ? n : m) += 2;
    (m, n) += i % 5;
    for (int k = 0; k < n; k++) out[8 * i] += k * m;
}
//: kernel names_references
//: launch 128 / 32
//: thread yes
//: group yes
//: merge no a reference that is used later
//: args int[128] = mod 97; int[256] = 0; int 5
extern "C" __global__ void names_references(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    using number = int &;
    number r = n;
    r += in[i] % 5;
    out[2 * i] = n;
    r++;
    for (int k = 0; k < n; k++) out[2 * i + 1] += k;
}
//: kernel deduces_references
//: launch 128 / 32
//: thread yes
//: group yes
//: merge no a reference that is used later
//: args int[128] = mod 97; int[256] = 0; int 5
struct raises {
    int &r;
    __device__ raises(int &x) : r(x) { r += 2; }
};
extern "C" __global__ void deduces_references(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    decltype(auto) r = (n);
    r += in[i] % 5;
    if (in[i] & 1) (void)raises(n);
    for (int k = 0; k < n; k++) out[2 * i] += k;
    out[2 * i + 1] = n;
}
//: kernel raises_only
//: launch 128 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[128] = mod 97; int[256] = 0; int 5
extern "C" __global__ void raises_only(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (in[i] & 1) (void)raises(n);
    out[2 * i + 1] = n;
    for (int k = 0; k < n; k++) out[2 * i] += k;
}
//: kernel templates_decay
//: launch 128 / 32
//: thread yes
//: group yes
//: merge yes
//: args int[128] = mod 97; int[256] = 0
template <class T>
struct holds {
    T at[2];
    int n;
};
extern "C" __global__ void templates_decay(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    holds<int> b = { { in[i], i }, 5 };
    auto v = b;
    int *p = b.at, *q = v.at;
    out[2 * i] = 1;
    p[1] += 2, q[0] += 3;
    out[2 * i + 1] = p[0] + p[1] * 3 + q[0] * 5;
}
//: kernel refuse_sized
//: launch 128 / 32
//: thread yes
//: group yes
//: merge no an array whose size is a variable
//: args int[128] = mod 97; int[256] = 0
__host__ __device__ constexpr int one_more(int x) { return x + 1; }
extern "C" __global__ void refuse_sized(const int *in, int *out)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    constexpr int wide = one_more(2);
    int own[wide];
    for (int k = 0; k < wide; k++) own[k] = in[i] + k;
    out[2 * i] = 1;
    out[2 * i + 1] = own[i % wide];
}
