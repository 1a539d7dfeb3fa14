// Cellular automata: parameters that the kernel changes, a rule in words of 32 cells.
//: kernel life
//: launch 24 15 / 8 5
//: thread yes
//: group yes
//: plain life_plain
//: args uchar[288] = mod 3; uchar[288] = 7; int 22; int 13
//: kernel rule_of_words
//: launch 64 / 16
//: thread no local memory
//: group yes
//: plain rule_of_words_plain
//: args uint[64] = mod 90001; uint[64] = 0; uint 110; int 6
__kernel void life(__global const uchar *cells, __global uchar *next, int width, int height)
{
    int x = get_global_id(0), y = get_global_id(1), stride = width;
    if (x >= width || y >= height) return;
    const int left = x ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
    __global const uchar *above = cells + (y ? y - 1 : height - 1) * stride,
                         *below = cells + (y + 1 < height ? y + 1 : 0) * stride;
    cells += y * stride;
    next += y * stride + x;
#define ALIVE(row, at) ((row)[at] == 1)
    int alive = ALIVE(above, left) + ALIVE(above, x) + ALIVE(above, right) + ALIVE(cells, left) +
                ALIVE(cells, right) + ALIVE(below, left) + ALIVE(below, x) + ALIVE(below, right);
    *next = alive == 3 ? 1 : alive != 2 ? 0 : ALIVE(cells, x) ? 1 : 0;
}

__kernel void life_plain(__global const uchar *cells, __global uchar *next, int width, int height)
{
    if (get_global_id(0) || get_global_id(1)) return;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int alive = 0, own = cells[y * width + x] == 1;
            for (int j = -1; j <= 1; j++)
                for (int i = -1; i <= 1; i++)
                    alive += cells[(y + j + height) % height * width +
                                   (x + i + width) % width] == 1;
            next[y * width + x] = alive == 3 || (alive == 4 && own);
        }
}

// A group's cells are a ring. Two rows in local memory change places after each step.
__kernel void rule_of_words(__global const uint *in, __global uint *out, uint rule, int steps)
{
    __local uint rows[2][16];
    const uint l = get_local_id(0), size = get_local_size(0);
    int now = 0;
    rows[0][l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    do {
        const uint own = rows[now][l], before = rows[now][l ? l - 1 : size - 1];
        const uint after = rows[now][l + 1 == size ? 0 : l + 1];
        const uint left = own << 1 | before >> 31, right = own >> 1 | after << 31;
        uint next = 0;
        for (uint k = 0; k < 8; k++)
            if (rule >> k & 1)
                next |= (k & 4 ? left : ~left) & (k & 2 ? own : ~own) & (k & 1 ? right : ~right);
        rows[now ^= 1][l] = next;
        barrier(CLK_LOCAL_MEM_FENCE);
    } while (--steps > 0);
    out[get_global_id(0)] = rows[now][l];
}

__kernel void rule_of_words_plain(__global const uint *in, __global uint *out, uint rule,
                                  int steps)
{
    if (get_global_id(0)) return;
    for (int g = 0; g < 64; g += 16) {
        uchar cells[512], next[512];
        for (int i = 0; i < 512; i++) cells[i] = in[g + i / 32] >> i % 32 & 1;
        for (int s = 0; s < steps; s++) {
            for (int i = 0; i < 512; i++)
                next[i] = rule >> (4 * cells[(i + 511) % 512] + 2 * cells[i] +
                                   cells[(i + 1) % 512]) & 1;
            for (int i = 0; i < 512; i++) cells[i] = next[i];
        }
        for (int w = 0; w < 16; w++) {
            uint word = 0;
            for (int i = 0; i < 32; i++) word |= (uint)cells[32 * w + i] << i;
            out[g + w] = word;
        }
    }
}
