// Ciphers and checksums: macros of macros, rounds written out, tables, words of built-in types.
//: kernel xtea
//: launch 40 / 8
//: thread yes
//: group yes
//: plain xtea_plain
//: args uint[80] = mod 90001; uint[80] = 0; uint 11; uint 22; uint 33; uint 44; int 36
//: kernel crc_blocks
//: launch 32 / 8
//: thread no local memory
//: group yes
//: plain crc_plain
//: args uchar[128] = mod 256; uint[32] = 0; int 4
#define ROUNDS 32
#define DELTA 0x9e3779b9u
#define MIX(v) (((v << 4) ^ (v >> 5)) + v)
#define ROUND(v0, v1) { \
    v0 += MIX(v1) ^ (sum + key[sum & 3]); \
    sum += DELTA; \
    v1 += MIX(v0) ^ (sum + key[(sum >> 11) & 3]); }
#define ROUNDS4(a, b) ROUND(a, b) ROUND(a, b) ROUND(a, b) ROUND(a, b)
#define BLOCK_ID get_global_id(0)
#define CHECK_END(n) if (BLOCK_ID >= (size_t)(n)) return

__kernel void xtea(__global const uint *in, __global uint *out, uint k0, uint k1, uint k2, uint k3,
                   int n)
{
    CHECK_END(n);
    const uint key[4] = { k0, k1, k2, k3 };
    uint a = in[2 * BLOCK_ID], b = in[2 * BLOCK_ID + 1], sum = 0;
    ROUNDS4(a, b) ROUNDS4(a, b) ROUNDS4(a, b) ROUNDS4(a, b)
    ROUNDS4(a, b) ROUNDS4(a, b) ROUNDS4(a, b) ROUNDS4(a, b)
    out[2 * BLOCK_ID] = a;
    out[2 * BLOCK_ID + 1] = b;
}

__kernel void xtea_plain(__global const uint *in, __global uint *out, uint k0, uint k1, uint k2,
                         uint k3, int n)
{
    const uint key[4] = { k0, k1, k2, k3 };
    if (get_global_id(0)) return;
    for (int i = 0; i < n; i++) {
        uint a = in[2 * i], b = in[2 * i + 1], sum = 0;
        for (int r = 0; r < ROUNDS; r++) {
            a += (((b << 4) ^ (b >> 5)) + b) ^ (sum + key[sum & 3]);
            sum += DELTA;
            b += (((a << 4) ^ (a >> 5)) + a) ^ (sum + key[(sum >> 11) & 3]);
        }
        out[2 * i] = a;
        out[2 * i + 1] = b;
    }
}

// Each group makes its table; a helper has the barrier.
#define TABLE 256
#define STEP(c) ((c) & 1 ? 0xedb88320u ^ ((c) >> 1) : (c) >> 1)

static void make_table(__local uint *table)
{
    for (uint i = get_local_id(0); i < TABLE; i += get_local_size(0)) {
        uint c = i;
        for (int k = 0; k < 8; k++) c = STEP(c);
        table[i] = c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void crc_blocks(__global const uchar *in, __global uint *out, int bytes)
{
    __local uint table[TABLE];
    make_table(table);
    uint crc = ~0u;
    for (int i = 0; i < bytes; i++)
        crc = table[(crc ^ in[get_global_id(0) * bytes + i]) & 0xff] ^ (crc >> 8);
    out[get_global_id(0)] = ~crc;
}

__kernel void crc_plain(__global const uchar *in, __global uint *out, int bytes)
{
    if (get_global_id(0)) return;
    for (int i = 0; i < 32; i++) {
        uint crc = ~0u;
        for (int k = 0; k < bytes; k++) {
            crc ^= in[i * bytes + k];
            for (int bit = 0; bit < 8; bit++) crc = STEP(crc);
        }
        out[i] = ~crc;
    }
}
