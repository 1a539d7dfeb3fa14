// Random numbers: a state that is a parameter, commas, do-while, macros that are statements.
//: kernel xorshift
//: launch 96 / 24
//: thread yes
//: group yes
//: plain xorshift_plain
//: args uint 2463534242; uint[96] = 0; int 90; int 5
//: kernel philox
//: launch 64 / 16
//: thread yes
//: group yes
//: plain philox_plain
//: args uint 7; uint 11; uint[256] = 0; int 61
__kernel void xorshift(uint seed, __global uint *out, int n, int rounds)
{
    uint i = get_global_id(0), left;
    if (i >= (uint)n) return;
    seed += i * 747796405u, left = rounds;
    do {
        seed ^= seed << 13, seed ^= seed >> 17;
        seed ^= seed << 5;
    } while (--left, left > 0);
    out[i] = seed;
}

__kernel void xorshift_plain(uint seed, __global uint *out, int n, int rounds)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) {
        uint s = seed + (uint)i * 747796405u;
        for (int r = 0; r < rounds; r++) {
            s = s ^ (s << 13);
            s = s ^ (s >> 17);
            s = s ^ (s << 5);
        }
        out[i] = s;
    }
}

typedef uint4 counter;
typedef uint2 philox_key;
#define PHILOX_ROUND(c, k)                                                                        \
    do {                                                                                          \
        const uint high0 = mul_hi(0xD2511F53u, (c).x), low0 = 0xD2511F53u * (c).x;                 \
        const uint high1 = mul_hi(0xCD9E8D57u, (c).z), low1 = 0xCD9E8D57u * (c).z;                 \
        (c) = (counter)(high1 ^ (c).y ^ (k).x, low1, high0 ^ (c).w ^ (k).y, low0);                 \
        (k) += (philox_key)(0x9E3779B9u, 0xBB67AE85u);                                             \
    } while (0)

__kernel void philox(uint key0, uint key1, __global counter *out, int n)
{
    const int i = get_global_id(0);
    counter c = (counter)(i, 0, 0, 0);
    philox_key k = (philox_key)(key0, key1);
    if (i >= n) return;
    for (int r = 0; r < 10; ++r) PHILOX_ROUND(c, k);
    out[i] = c;
}

__kernel void philox_plain(uint key0, uint key1, __global counter *out, int n)
{
    __global uint *to = (__global uint *)out;
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) {
        uint a = i, b = 0, c = 0, d = 0, p = key0, q = key1;
        for (int r = 0; r < 10; r++) {
            const ulong x = (ulong)0xD2511F53u * a, y = (ulong)0xCD9E8D57u * c;
            a = (uint)(y >> 32) ^ b ^ p;
            b = (uint)y;
            c = (uint)(x >> 32) ^ d ^ q;
            d = (uint)x;
            p += 0x9E3779B9u;
            q += 0xBB67AE85u;
        }
        to[4 * i] = a;
        to[4 * i + 1] = b;
        to[4 * i + 2] = c;
        to[4 * i + 3] = d;
    }
}
