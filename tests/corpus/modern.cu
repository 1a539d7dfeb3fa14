// C++14: functions that deduce, lambdas that are passed on, loops over arrays, packs, enumerations.
//: kernel visit
//: launch 96 / 32
//: thread yes
//: group yes
//: plain visit_plain
//: args int[96] = mod 50; int[96] = 0; int 95
//: kernel deduced
//: instance deduced<int, 3>
//: launch 64 / 16
//: thread yes
//: group yes
//: plain deduced_plain
//: args int[64] = mod 23; long[64] = 0; int 61
//: kernel machine
//: launch 48 / 12
//: thread yes
//: group yes
//: plain machine_plain
//: args char[480] = mod 97; int[48] = 0; int 10
//: kernel packed
//: launch 60 / 20
//: thread yes
//: group yes
//: plain packed_plain
//: args int[60] = mod 41; int[60] = 0; int 59
//: kernel highest
//: launch 128 / 32
//: thread yes
//: group yes
//: plain highest_plain
//: args float[128] = random -60 60; float[8] = -100; int 123
template <typename Function> __device__ void strided(int from, int end, int by, Function &&each)
{
    for (int i = from; i < end; i += by) each(i);
}

__global__ void visit(const int *in, int *out, int n)
{
    const int first = blockIdx.x * blockDim.x + threadIdx.x;
    int visited = 0;
    auto step = [=, &visited](int i) mutable { out[i] += in[i] * ++visited; };
    strided(first, n, gridDim.x * blockDim.x, step);
    strided(first, n, n, [&](int i) { out[i] = out[i] * 10 + visited; });
}

__global__ void visit_plain(const int *in, int *out, int n)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int i = 0; i < n; i++) out[i] = in[i] * 10 + 1;
}

template <typename T> __device__ auto widened(T value) -> long long
{
    return static_cast<long long>(value) << 33;
}

template <typename T, int N> __device__ auto power(T x)
{
    T result = x;
    for (int k = 1; k < N; k++) result *= x;
    return result;
}

template <typename T, int N> __global__ void deduced(const T *in, long long *out, int n)
{
    const auto i = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
    if (i >= n) return;
    auto value = power<T, N>(in[i]);
    using wide = decltype(widened(value));
    out[i] = widened(value) + static_cast<wide>(i & 1 ? 1'000 : 0b101);
}

__global__ void deduced_plain(const int *in, long long *out, int n)
{
    if (blockIdx.x || threadIdx.x) return;
    for (long long i = 0; i < n; i++)
        out[i] = in[i] * in[i] * in[i] * 8589934592ll + (i % 2 ? 1000 : 5);
}

enum class state : unsigned char { blank, word, number };

// Counts words and numbers of a record.
__global__ void machine(const char *text, int *out, int size)
{
    const int record = blockIdx.x * blockDim.x + threadIdx.x;
    int words = 0, numbers = 0;
    state now = state::blank;
    for (int i = 0; i < size; ++i) {
        const char c = text[record * size + i];
        const bool digit = '0' <= c and c <= '9', letter = c >= 'A' && not digit;
        switch (now) {
        case state::number:
            if (digit) continue;
            now = letter ? state::word : state::blank;
            break;
        case state::blank:
            if (!digit && !letter) break;
            now = digit ? state::number : state::word;
            (digit ? numbers : words)++;
            break;
        case state::word:
            if (!letter && !digit) now = state::blank;
        }
    }
    out[record] = words * 100 + numbers;
}

__global__ void machine_plain(const char *text, int *out, int size)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int r = 0; r < 48; r++) {
        int sum = 0;
        for (int i = 0; i < size; i++) {
            const int c = text[r * size + i], b = i ? text[r * size + i - 1] : ' ';
            const bool starts = i == 0 || (b < 'A' && (b < '0' || b > '9'));
            if (!starts) continue;
            if (c >= 'A') sum += 100;
            if (c >= '0' && c <= '9') sum++;
        }
        out[r] = sum;
    }
}

__device__ int sum_of() { return 0; }
template <typename First, typename... Rest> __device__ int sum_of(First first, Rest... rest)
{
    return first + 2 * sum_of(rest...);
}

__global__ void packed(const int *in, int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int total = 0;
    const int powers[] = { 1, 3, 9, 27 };
    for (const int p : powers) total += in[i] / p % 3 == 1;
    const int factors[2]{ 2, 5 };
    for (auto &&p : factors) total *= p;
    out[i] = sum_of(total, in[i], -i);
}

__global__ void packed_plain(const int *in, int *out, int n)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int i = 0; i < n; i++) {
        int ones = 0;
        for (int k = 0, rest = in[i]; k < 4; k++, rest /= 3) ones += rest % 3 == 1;
        out[i] = 10 * ones + 2 * in[i] - 4 * i;
    }
}

// The greatest real number, by the order that integers have.
__global__ void highest(const float *in, float *out, int n)
{
    union {
        float real;
        int bits;
    } own, seen;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int *const place = reinterpret_cast<int *>(out) + i % 8;
    own.real = in[i];
    int old = *place, assumed;
    do {
        assumed = old;
        seen.bits = assumed;
        if (seen.real >= own.real) break;
        old = atomicCAS(place, assumed, own.bits);
    } while (assumed != old);
}

__global__ void highest_plain(const float *in, float *out, int n)
{
    if (blockIdx.x || threadIdx.x) return;
    for (int i = 0; i < n; i++)
        if (in[i] > out[i % 8]) out[i % 8] = in[i];
}
