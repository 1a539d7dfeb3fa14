// Hashes: SHA-256's rounds over a schedule that turns in a ring, a filter of bits, a Merkle tree.
//: kernel sha256
//: launch 24 / 6
//: thread yes
//: group yes
//: plain sha256_plain
//: args uint[384] = mod 100003; uint[192] = 0; int 23
//: kernel bloom
//: launch 64 / 16
//: thread yes
//: group yes
//: plain bloom_plain
//: args uint[60] = mod 9973; uint[32] = 0; int 60
#define SIGMA(x, a, b, c) (rotate(x, (uint)(32 - (a))) ^ rotate(x, (uint)(32 - (b))) ^ (c))
#define CHOOSE(x, y, z) bitselect(z, y, x)
#define MAJORITY(x, y, z) (((x) & (y)) | ((z) & ((x) | (y))))

// Constants in place of the table of primes' roots: the rounds are the same.
uint constant_of(int round)
{
    return 0x428a2f98u + (uint)round * 0x9e3779b9u;
}

__kernel void sha256(__global const uint *blocks, __global uint *digests, int n)
{
    int id = get_global_id(0);
    uint w[16], state[8];
    if (id >= n) return;
    for (int i = 0; i < 16; i++) w[i] = blocks[16 * id + i];
    for (int i = 0; i < 8; i++) state[i] = 0x6a09e667u ^ (0x01010101u * i);
    uint a = state[0], b = state[1], c = state[2], d = state[3];
    uint e = state[4], f = state[5], g = state[6], h = state[7];
#pragma unroll
    for (int i = 0; i < 64; i++) {
        if (i >= 16) {
            const uint x = w[(i + 1) & 15], y = w[(i + 14) & 15];
            w[i & 15] += SIGMA(x, 7, 18, x >> 3) + w[(i + 9) & 15] + SIGMA(y, 17, 19, y >> 10);
        }
        uint t1 = h + SIGMA(e, 6, 11, rotate(e, 7u)) + CHOOSE(e, f, g) + constant_of(i) + w[i & 15],
             t2 = SIGMA(a, 2, 13, rotate(a, 10u)) + MAJORITY(a, b, c);
        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    const uint last[8] = { a, b, c, d, e, f, g, h };
    for (int i = 0; i < 8; i++) digests[8 * id + i] = state[i] + last[i];
}

uint right(uint x, int by)
{
    return x >> by | x << (32 - by);
}

__kernel void sha256_plain(__global const uint *blocks, __global uint *digests, int n)
{
    if (get_global_id(0)) return;
    for (int id = 0; id < n; id++) {
        uint w[64], s[8];
        for (int i = 0; i < 16; i++) w[i] = blocks[16 * id + i];
        for (int i = 16; i < 64; i++)
            w[i] = w[i - 16] + w[i - 7] +
                   (right(w[i - 15], 7) ^ right(w[i - 15], 18) ^ (w[i - 15] >> 3)) +
                   (right(w[i - 2], 17) ^ right(w[i - 2], 19) ^ (w[i - 2] >> 10));
        for (int i = 0; i < 8; i++) s[i] = 0x6a09e667u ^ (0x01010101u * i);
        for (int i = 0; i < 64; i++) {
            const uint e = s[4], a = s[0];
            const uint t1 = s[7] + (right(e, 6) ^ right(e, 11) ^ right(e, 25)) +
                            ((e & s[5]) ^ (~e & s[6])) + 0x428a2f98u + (uint)i * 0x9e3779b9u + w[i];
            const uint t2 = (right(a, 2) ^ right(a, 13) ^ right(a, 22)) +
                            ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
            for (int k = 7; k > 0; k--) s[k] = s[k - 1];
            s[4] += t1;
            s[0] = t1 + t2;
        }
        for (int i = 0; i < 8; i++)
            digests[8 * id + i] = s[i] + (0x6a09e667u ^ (0x01010101u * i));
    }
}

__kernel void bloom(__global const uint *keys, volatile __global uint *bits, int n)
{
    size_t id = get_global_id(0);
    uint hash = id < (size_t)n ? keys[id] * 2654435761u : 0, probe = 3;
    if (id >= (size_t)n) return;
    do {
        uint bit = hash >> 22;
        { // the word, in a scope of its own
            uint hash = bit >> 5;
            atomic_or(&bits[hash], 1u << (bit & 31));
        }
        hash = hash * 1664525u + 1013904223u;
    } while (--probe);
}

__kernel void bloom_plain(__global const uint *keys, volatile __global uint *bits, int n)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) {
        const uint first = keys[i] * 2654435761u, second = first * 1664525u + 1013904223u;
        const uint third = second * 1664525u + 1013904223u;
        bits[first >> 27] |= 1u << (first >> 22 & 31);
        bits[second >> 27] |= 1u << (second >> 22 & 31);
        bits[third >> 27] |= 1u << (third >> 22 & 31);
    }
}
