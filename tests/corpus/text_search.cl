// Text: a search with a table of borders, a reader of UTF-8, a checksum, a reader of numbers.
//: kernel search
//: launch 48 / 12
//: thread yes
//: group yes
//: plain search_plain
//: args uchar[1600] = random 0 2; int 33; int[50] = 0; int 47
//: kernel utf8_length
//: launch 40 / 8
//: thread yes
//: group yes
//: plain utf8_length_plain
//: args uchar[640] = mod 256; int[40] = 0; int 16; int 38
//: kernel adler32
//: launch 36 / 6
//: thread yes
//: group yes
//: plain adler32_plain
//: args uchar[720] = mod 251; uint[36] = 0; int 20
//: kernel read_numbers
//: launch 40 / 10
//: thread yes
//: group yes
//: plain read_numbers_plain
//: args char[320] = mod 128; int[40] = 7; int 8
// Knuth, Morris and Pratt: how often 0 1 0 0 1 is in a line.
__kernel void search(__global const uchar *text, int length, __global int *found, int lines)
{
    const uchar pattern[5] = { 0, 1, 0, 0, 1 };
    const int border[5] = { 0, 0, 1, 1, 2 };
    int line = get_global_id(0);
    if (line < lines) {
        __global const uchar *at = text + line * length;
        int state = 0, count = 0, position = 0;
        while (position < length) {
            if (at[position] == pattern[state]) {
                state++, position++;
                if (state < 5) continue;
                count++;
                state = border[4];
            } else if (state > 0)
                state = border[state - 1];
            else
                position++;
        }
        found[line] = count;
    }
}

__kernel void search_plain(__global const uchar *text, int length, __global int *found, int lines)
{
    if (get_global_id(0)) return;
    for (int line = 0; line < lines; line++) {
        int count = 0;
        for (int i = 0; i + 5 <= length; i++) {
            __global const uchar *t = text + line * length + i;
            count += !t[0] && t[1] && !t[2] && !t[3] && t[4];
        }
        found[line] = count;
    }
}

// Characters of a record; 1000 for each byte that cannot stand there.
__kernel void utf8_length(__global const uchar *text, __global int *out, int size, int records)
{
    int record = get_global_id(0), characters = 0, wrong = 0, more = 0;
    if (record >= records) return;
    for (int i = 0; i < size; i++) {
        const uchar byte = text[record * size + i];
        const int kind = byte < 0x80 ? 0 : byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
        switch (kind) {
        case 1:
            if (more > 0) {
                if (--more == 0) characters++;
                break;
            }
            wrong++;
            break;
        case 0:
            characters++; // and, as below
        case 2:
        case 3:
            if (more) wrong++;
            more = kind ? kind - 1 : 0;
            break;
        default:
            wrong++, more = 0;
        }
    }
    out[record] = characters + 1000 * wrong;
}

__kernel void utf8_length_plain(__global const uchar *text, __global int *out, int size,
                                int records)
{
    if (get_global_id(0)) return;
    for (int r = 0; r < records; r++) {
        int sum = 0, due = 0;
        for (int i = r * size; i < (r + 1) * size; i++) {
            const int b = text[i];
            if (b >= 0xf0) {
                sum += 1000;
                due = 0;
            } else if (b >= 0x80 && b < 0xc0) {
                if (!due) sum += 1000;
                if (due == 1) sum += 1;
                if (due) due--;
            } else {
                if (due) sum += 1000;
                if (b < 0x80) sum += 1;
                due = b < 0x80 ? 0 : b < 0xe0 ? 1 : 2;
            }
        }
        out[r] = sum;
    }
}

__kernel void adler32(__global const uchar *data, __global uint *out, int size)
{
    uint a = 1, b = 0;
    data += get_global_id(0) * size;
    out += get_global_id(0);
    while (size--) a += *data++, b += a;
    *out = (b % 65521u) << 16 | a % 65521u;
}

__kernel void adler32_plain(__global const uchar *data, __global uint *out, int size)
{
    if (get_global_id(0)) return;
    for (size_t r = 0; r < get_global_size(0); r++) {
        uint a = 1, b = 0;
        for (int i = 0; i < size; i++) {
            a = (a + data[r * size + i]) % 65521u;
            b = (b + a) % 65521u;
        }
        out[r] = b * 65536u + a;
    }
}

// The first number of a record, with its sign; nothing is written where there is none.
__kernel void read_numbers(__global const char *text, __global int *out, int size)
{
    const int record = get_global_id(0);
    int value = 0, i = 0, digits = 0;
    bool negative = false;
    for (;;) {
        if (i == size) break;
        const char c = text[record * size + i++];
        if (c >= '0' && c <= '9')
            value = value * 10 + (c - '0'), digits++;
        else if (digits)
            break;
        else if (c == '-')
            negative = !negative;
        else
            negative = false;
    }
    if (!digits) return;
    out[record] = negative ? -value : value;
}

__kernel void read_numbers_plain(__global const char *text, __global int *out, int size)
{
    if (get_global_id(0)) return;
    for (int r = 0; r < (int)get_global_size(0); r++) {
        int at = 0, end, sign = 1, value = 0;
        while (at < size && !(text[r * size + at] >= '0' && text[r * size + at] <= '9')) at++;
        for (end = at - 1; end >= 0 && text[r * size + end] == '-'; end--) sign = -sign;
        for (end = at; end < size; end++) {
            const int digit = text[r * size + end] - '0';
            if (digit < 0 || digit > 9) break;
            value = 10 * value + digit;
        }
        if (at < size) out[r] = sign * value;
    }
}
