// Pictures: a cosine transform as JPEG has it, bicubic resizing.
//: kernel jpeg_transform
//: launch 15 / 5
//: thread yes
//: group yes
//: plain jpeg_transform_plain
//: args short[960] = mod 256; short[960] = 0; int 14
//: kernel bicubic
//: launch 24 18 / 6 3
//: thread yes
//: group yes
//: merge yes
//: plain bicubic_plain
//: args uchar[108] = mod 256; uchar[432] = 0; int 12; int 9; int 23; int 17
// Loeffler's butterflies in fixed point, over rows and then over columns.
#define SCALE 11
#define TURN(x, y, c, s)                                                                          \
    {                                                                                             \
        int keep = (x) * (c) + (y) * (s);                                                         \
        (y) = ((y) * (c) - (x) * (s)) >> SCALE;                                                   \
        (x) = keep >> SCALE;                                                                      \
    }
#define SUM(x, y) { int keep = x; x = keep + (y); y = keep - (y); }

__kernel void jpeg_transform(__global const short *pixels, __global short *out, int blocks)
{
    const int block = get_global_id(0);
    int v[64], i, j;
    if (block >= blocks) return;
    for (i = 0; i < 64; i++) v[i] = pixels[block * 64 + i] - 128;
    for (j = 0; j < 2; j++) {
        const int step = j ? 8 : 1, next = j ? 1 : 8;
        for (i = 0; i < 8; i++) {
            int *p = v + i * next;
            for (int i = 0; i < 4; i++) SUM(p[i * step], p[(7 - i) * step]);
            SUM(p[0], p[3 * step]);
            SUM(p[step], p[2 * step]);
            SUM(p[0], p[step]);
            TURN(p[2 * step], p[3 * step], 1108, 2676);
            TURN(p[4 * step], p[7 * step], 1703, 1138);
            TURN(p[5 * step], p[6 * step], 2009, 400);
        }
    }
    for (i = 0; i < 64; i++) out[block * 64 + i] = (short)(v[i] / 8);
}

void turn(int *a, int *b, int c, int s)
{
    const int x = *a, y = *b;
    *a = (x * c + y * s) >> 11;
    *b = (y * c - x * s) >> 11;
}

void transform_line(int *line)
{
    int e[8];
    for (int k = 0; k < 4; k++) {
        e[k] = line[k] + line[7 - k];
        e[7 - k] = line[k] - line[7 - k];
    }
    line[0] = e[0] + e[3] + e[1] + e[2];
    line[1] = e[0] + e[3] - e[1] - e[2];
    line[2] = e[1] - e[2];
    line[3] = e[0] - e[3];
    turn(&line[2], &line[3], 1108, 2676);
    for (int k = 4; k < 8; k++) line[k] = e[k];
    turn(&line[4], &line[7], 1703, 1138);
    turn(&line[5], &line[6], 2009, 400);
}

__kernel void jpeg_transform_plain(__global const short *pixels, __global short *out, int blocks)
{
    if (get_global_id(0)) return;
    for (int block = 0; block < blocks; block++) {
        int v[64], line[8];
        for (int i = 0; i < 64; i++) v[i] = pixels[block * 64 + i] - 128;
        for (int pass = 0; pass < 2; pass++)
            for (int i = 0; i < 8; i++) {
                for (int k = 0; k < 8; k++) line[k] = v[pass ? 8 * k + i : 8 * i + k];
                transform_line(line);
                for (int k = 0; k < 8; k++) v[pass ? 8 * k + i : 8 * i + k] = line[k];
            }
        for (int i = 0; i < 64; i++) out[block * 64 + i] = (short)(v[i] / 8);
    }
}

// Keys's weights with a = -1/2, at quarters of a pixel; 128 is one.
int weight(int quarters, int tap)
{
    int d = abs(quarters + 4 - 4 * tap);
    return d < 4   ? 3 * d * d * d - 20 * d * d + 128
           : d < 8 ? -d * d * d + 20 * d * d - 128 * d + 256
                   : 0;
}

__kernel void bicubic(__global const uchar *in, __global uchar *out, int width, int height,
                      int columns, int rows)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= columns || y >= rows) return;
    const int2 from = (int2)(2 * x, 2 * y), at = from >> 2, part = from & 3;
    int sum = 0;
    for (int j = 0; j < 4; j++) {
        int row = clamp(at.y + j - 1, 0, height - 1), line = 0;
        for (int i = 0; i < 4; i++)
            line += weight(part.x, i) * in[row * width + clamp(at.x + i - 1, 0, width - 1)];
        sum += weight(part.y, j) * line;
    }
    sum = (sum + 8192) >> 14;
    out[y * columns + x] = sum < 0 ? 0 : sum > 255 ? 255 : sum;
}

__kernel void bicubic_plain(__global const uchar *in, __global uchar *out, int width, int height,
                            int columns, int rows)
{
    // At 0 and 2 quarters Keys's weights are 0 1 0 0, and -1/16 9/16 9/16 -1/16.
    const int mid[4] = { -8, 72, 72, -8 };
    if (get_global_id(0) || get_global_id(1)) return;
    for (int y = 0; y < rows; y++)
        for (int x = 0; x < columns; x++) {
            int sum = 0;
            for (int k = 0; k < 16; k++) {
                const int wx = x & 1 ? mid[k & 3] : 128 * ((k & 3) == 1);
                const int wy = y & 1 ? mid[k >> 2] : 128 * (k >> 2 == 1);
                const int px = min(max(x / 2 + (k & 3) - 1, 0), width - 1);
                const int py = min(max(y / 2 + (k >> 2) - 1, 0), height - 1);
                sum += wx * wy * in[py * width + px];
            }
            sum = (sum + 8192) >> 14;
            out[y * columns + x] = (uchar)min(max(sum, 0), 255);
        }
}
