// Rounds of a hash with macros that assign, rotate and select; candidates by global id.
//: kernel crack
//: launch 256 / 64
//: thread yes
//: group yes
//: args uint[250] = mod 65521; uint[4] = 0; uint[250] = 0; uint 250
#define ROTL(x, s) rotate((x), (uint)(s))
#define F(x, y, z) ((z) ^ ((x) & ((y) ^ (z))))
#define STEP(f, a, b, c, d, x, t, s) \
    { \
        a += x; \
        a += t; \
        a += f(b, c, d); \
        a = ROTL(a, s); \
        a += b; \
    }
#define IS_MATCH(h) (((h) & 0x3f) == 5)

__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void
crack(__global const uint *words, __global uint *found, __global uint *hashes, const uint n)
{
    const uint gid = get_global_id(0), lid = get_local_id(0);
    if (gid >= n) return;
    const uint w = words[gid];
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
#ifdef _unroll
#pragma unroll
#endif
    for (int r = 0; r < 4; r++) {
        STEP(F, a, b, c, d, w, 0xd76aa478u + r, 7);
        STEP(F, d, a, b, c, w ^ 0x80, 0xe8c7b756u, 12);
        STEP(F, c, d, a, b, lid, 0x242070dbu, 17);
        STEP(F, b, c, d, a, 0, 0xc1bdceeeu, 22);
    }
    hashes[gid] = a ^ b ^ c ^ d;
    if (IS_MATCH(a)) atomic_add(&found[gid & 3], 1);
}
