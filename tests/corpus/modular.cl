// Arithmetic that is exact: an LU step modulo a prime, butterflies, numbers of 16 bits.
// NVRTC 13 compiles lu_step in 0.2 s. It needs over five minutes where a loop is around its body.
//: kernel lu_step
//: launch 12 12 / 4 4
//: thread yes
//: group yes
//: merge yes
//: skip nvrtc
//: plain lu_step_plain
//: args uint[132] = mod 65521; uint[132] = 0; int 11; int 2
//: kernel butterflies
//: launch 32 / 8
//: thread yes
//: group yes
//: merge yes
//: plain butterflies_plain
//: args int[256] = random -90 90; int 8; int 30
//: kernel halves
//: launch 48 / 12
//: thread yes
//: group yes
//: merge yes
//: plain halves_plain
//: args ushort[48] = mod 30000; float[48] = random -9 9; ushort[48] = 0; int 47
#define PRIME 65521u

uint power(uint base, uint exponent)
{
    uint result = 1;
    for (; exponent; exponent >>= 1, base = (uint)((ulong)base * base % PRIME))
        if (exponent & 1) result = (uint)((ulong)result * base % PRIME);
    return result;
}

// Column `step` becomes L's, what is right of it and below loses its part of row `step`.
__kernel void lu_step(__global const uint *a, __global uint *b, int n, int step)
{
    const int row = get_global_id(1), column = get_global_id(0);
    if (row >= n || column >= n) return;
    const uint pivot = a[step * n + step] % PRIME;
    uint value = a[row * n + column] % PRIME;
    if (row > step) {
        const uint factor = (ulong)(a[row * n + step] % PRIME) * power(pivot, PRIME - 2) % PRIME;
        if (column == step)
            value = factor;
        else if (column > step) {
            uint take = (ulong)factor * (a[step * n + column] % PRIME) % PRIME;
            value = value >= take ? value - take : value + PRIME - take;
        }
    }
    b[row * n + column] = value;
}

__kernel void lu_step_plain(__global const uint *a, __global uint *b, int n, int step)
{
    if (get_global_id(0) || get_global_id(1)) return;
    uint inverse = 1; // found by looking
    while ((ulong)inverse * a[step * n + step] % PRIME != 1) inverse++;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            const ulong f = (ulong)a[i * n + step] * inverse % PRIME;
            b[i * n + j] = a[i * n + j];
            if (i > step && j == step) b[i * n + j] = (uint)f;
            if (i > step && j > step)
                b[i * n + j] = (a[i * n + j] + f * (PRIME - a[step * n + j])) % PRIME;
        }
}

// Fourier transforms of four complex numbers: the factors are 1, i, -1 and -i.
typedef int2 complex;
#define TIMES_I(c) ((complex)(-(c).y, (c).x))
#define BUTTERFLY(p, q) do { complex keep = (p); (p) += (q); (q) = keep - (q); } while (0)

__kernel void butterflies(__global complex *data, int stride, int n)
{
    complex v[4];
    const int i = get_global_id(0);
    if (i >= n) return;
    __global complex *at = data + i / stride * 4 * stride + i % stride;
    for (int k = 0; k < 4; k++) v[k] = at[k * stride];
    BUTTERFLY(v[0], v[2]);
    BUTTERFLY(v[1], v[3]);
    v[3] = TIMES_I(v[3]);
    BUTTERFLY(v[0], v[1]);
    BUTTERFLY(v[2], v[3]);
    at[0] = v[0], at[stride] = v[2], at[2 * stride] = v[1], at[3 * stride] = v[3];
}

__kernel void butterflies_plain(__global complex *data, int stride, int n)
{
    const int cosine[4] = { 1, 0, -1, 0 }, sine[4] = { 0, 1, 0, -1 };
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) {
        complex sum[4];
        const int at = i / stride * 4 * stride + i % stride;
        for (int k = 0; k < 4; k++) {
            sum[k] = (complex)(0, 0);
            for (int m = 0; m < 4; m++) {
                const complex x = data[at + m * stride];
                const int c = cosine[k * m % 4], s = sine[k * m % 4];
                sum[k].x += x.x * c - x.y * s;
                sum[k].y += x.x * s + x.y * c;
            }
        }
        for (int k = 0; k < 4; k++) data[at + k * stride] = sum[k];
    }
}

// Numbers of 16 bits as they are stored: read, added to, rounded to the nearest and written.
__kernel void halves(__global const half *a, __global const float *b, __global half *out, int n)
{
    const size_t at = get_global_id(0);
    if (at >= (size_t)n) return;
    float sum = vload_half(at, a);
    if (sum > 2048.0f)
        sum = 2048.0f;
    else
        sum = sum < 0.125f ? 0.125f : sum;
    vstore_half(sum + b[at], at, out);
}

__kernel void halves_plain(__global const half *a, __global const float *b, __global half *out,
                           int n)
{
    __global const ushort *from = (__global const ushort *)a;
    __global ushort *to = (__global ushort *)out;
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) {
        // In units of 2 to the -14 every number here is whole.
        const int exponent = from[i] >> 10, digits = (from[i] & 1023) + 1024;
        long value = 2048;          // an eighth
        if (exponent > 25)
            value = 2048l << 14;
        else if (exponent >= 12)
            value = (long)digits << (exponent - 11);
        value += (long)(b[i] * 16384.0f);
        ulong size = value < 0 ? -value : value;
        uint place = 0;
        if (!size) continue;
        while (size >> place > 1) place++;
        ulong kept = place > 10 ? size >> (place - 10) : size << (10 - place);
        if (place > 10) {
            const ulong rest = size & ((1ul << (place - 10)) - 1), middle = 1ul << (place - 11);
            kept += rest > middle || (rest == middle && (kept & 1));
        }
        to[i] = (value < 0 ? 0x8000 : 0) + ((place - 14 + 15) << 10) + (uint)(kept - 1024);
    }
}
