// What merging makes of statements: each kernel says whether it can be.
#define LEAST(a, b) ((a) < (b) ? (a) : (b))
//: kernel product
//: launch 40 30
//: thread yes
//: group maybe
//: merge yes
//: args float[1200] = 0; float[1200] = random -4 4; float[1600] = random -4 4; int 40; int 27
__kernel void product(__global float *out, __global const float *a, __global const float *b, int n,
                      int m)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= m) return;
    float s = 0;
    for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
    out[y * n + x] = s;
}
//: kernel window
//: launch 44 30
//: thread yes
//: group maybe
//: merge yes
//: args float[1320] = 0; float[1320] = random -4 4; float[49] = random -2 2; int 44; int 30
__kernel void window(__global float *out, __global const float *in, __constant float *w, int n,
                     int m)
{
    const int x = get_global_id(0), y = get_global_id(1);
    int i, j; // counters of loops alone: one of each for all items
    float s = 0.0f, last;
    if (x < 3 || y < 3) return;
    else if (x >= n - 3 || y >= m - 3)
        return;
    for (j = -3; j <= 3; j++) {
        float row = 0.0f;
        for (i = -3; i <= 3; i++) row += in[(y + j) * n + x + i] * w[(j + 3) * 7 + i + 3];
        last = row;
        s += last;
    }
    out[y * n + x] = s + last;
}
//: kernel guarded
//: launch 300
//: thread yes
//: group maybe
//: merge yes
//: args float[300] = 0; float[300] = random -4 4; int 291
__kernel void guarded(__global float *out, __global const float *in, int n)
{
    int i = get_global_id(0);
    float here;
    if (i > 0 && i < n - 1) {
        const int steps = n / 97 + 2;
        here = in[i];
        for (int k = 1; k < steps; k++) {
            float next = in[LEAST(i + k, n - 1)];
            here = here * 0.5f + next;
        }
        out[i] = here;
    }
}
//: kernel in_place
//: launch 256
//: thread yes
//: group maybe
//: merge yes
//: args float[256] = random -4 4; float[512] = 0; int 250
__kernel void in_place(__global float *x, __global float *y, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    x[i] = x[i] * 2.0f;        // and what is read behind a store sees it
    y[2 * i] = x[i] + 1.0f;
    x[i] -= y[2 * i];
    y[2 * i + 1] = x[i];
    *(y + 2 * i) += 0.5f;
}
//: kernel uneven
//: launch 200
//: thread yes
//: group maybe
//: merge yes
//: args int[200] = 0; int[200] = mod 7; int 190
__kernel void uneven(__global int *out, __global const int *in, int n)
{
    int i = get_global_id(0), sum = 0, k, other = 3;
    if (i >= n) return;
    for (k = 0; k < in[i]; k++) sum += k; // as long as each item's own
    while (other < in[i]) {
        other += 2;
        if (other == 5) continue;
        sum += other;
    }
    do {
        sum++;
        if (sum % 3 == 0) break;
    } while (sum < 100);
    for (int j = 0; j < 4; j++) {
        if (in[i] == j) break;
        sum += 10 * j;
    }
    out[i] = sum + k;
}
//: kernel arrays
//: launch 128
//: thread yes
//: group maybe
//: merge yes
//: args float[128] = 0; float[512] = random -4 4; int 128
__kernel void arrays(__global float *out, __global const float *in, int n)
{
    const int i = get_global_id(0);
    __global const float *from = in + 4 * i, *const end = in + 4 * n;
    float part[4], best = -100.0f, unused, *to = part;
    float4 v;
    for (int k = 0; k < 4; k++) part[k] = from[k];
    for (int k = 0; k < 4; k++) {
        int at = 3 - k;
        best = fmax(best, part[at]);
        to[k] = part[k] + 1.0f;
    }
    v = vload4(i, in);
    v.xy *= 2.0f;
    v.w = v.x;
    out[i] = best + part[1] + v.x + v.w + (from < end ? 1.0f : 0.0f);
}
//: kernel names
//: launch 96
//: thread yes
//: group maybe
//: merge yes
//: args int[192] = 0; int[96] = mod 50; int 90
typedef struct pair {
    int x, sum;
} pair;
int twice(int x) { return 2 * x; }
__kernel void names(__global pair *out, __global const int *in, int n)
{
    int i = get_global_id(0), x = i < n ? in[i] : 0;
    pair p; // has members of the names of variables
    p.x = x;
    p.sum = twice(x) + n;
    {
        int x = p.sum; // another one, of the inner block alone
        p.sum = x + 1;
    }
    if (p.x > 10)
        for (int k = 0; k < 3; k++) p.sum += k * x;
    else
        p.sum -= x;
    if (i < n) out[i] = p;
}
//: kernel changed
//: launch 64
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = 0; int 5
__kernel void changed(__global int *out, int n)
{
    n += (int)get_global_id(0);
    out[get_global_id(0)] = n;
}
//: kernel late
//: launch 64
//: thread yes
//: group maybe
//: merge no a return behind what must not be done twice
//: args int[64] = 0; int 5
__kernel void late(__global int *out, int n)
{
    int i = get_global_id(0);
    out[i] += n;
    if (i > 20) return;
    out[i] += 1;
}
//: kernel jumps
//: launch 64
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = 0; int 5
__kernel void jumps(__global int *out, int n)
{
    int i = get_global_id(0);
    switch (i % 3) {
    case 0: out[i] = n; break;
    default: out[i] = i;
    }
}
//: kernel twice_named
//: launch 64
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = 0; int 5
__kernel void twice_named(__global int *out, int n)
{
    int i = get_global_id(0), t = i;
    for (int k = 0; k < n; k++) {
        int t = k;
        out[i] += t;
        if (k == 2) out[i] += 1;
        out[i] += t;
    }
    out[i] += t;
}
//: kernel stepped
//: launch 64
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = 0; int 5
#define STEP(to) to += 1
__kernel void stepped(__global int *out, int n)
{
    int i = get_global_id(0), t = n;
    STEP(t);
    out[i] = t;
}
//: kernel aliases
//: launch 96
//: thread yes
//: group maybe
//: merge yes
//: args float[96] = 0; float[384] = random -4 4; int 4
__kernel void aliases(__global float *out, __global const float *in, int n)
{
    int i = get_global_id(0);
    float4 v = vload4(i, in), sum = (float4)(0.0f);
    float a[4], b[4], m[2][2];
    float *pv = (float *)&v, *src = a, *dst = b, *row = m[1], s = 0;
    for (int k = 0; k < n; k++) s += pv[k] * (k + 1); // v is used by way of pv alone
    for (int k = 0; k < 4; k++) src[k] = pv[3 - k];
    for (int turn = 0; turn < 3; turn++) {
        for (int k = 0; k < 4; k++) dst[k] = src[k] + src[(k + 1) & 3];
        float *t = src;
        src = dst;
        dst = t;
    }
    m[0][0] = m[0][1] = s;
    for (int k = 0; k < 2; k++) row[k] = m[0][k] * 2.0f;
    for (int k = 0; k < 4; k++) ((float *)&sum)[k] += in[i * 4 + k]; // as is sum changed
    out[i] = s + src[i & 3] + row[i & 1] + sum.x + 2.0f * sum.w;
}
//: kernel members
//: launch 64
//: thread yes
//: group maybe
//: merge yes
//: args int[64] = 0; int[256] = mod 90; int 4
typedef struct held {
    int a[4], most;
} held;
typedef int four[4];
void put(int *to, int x) { *to += x; }
__kernel void members(__global int *restrict out, __global const int *restrict in, int n)
{
    int i = get_global_id(0), last = 0;
    held h;
    four f;
    for (int k = 0; k < 4; k++) h.a[k] = f[k] = 0;
    for (int k = 0; k < n; k++) h.a[k & 3] += in[i * 4 + k];
    for (int k = 0; k < n; k++) f[k & 3] += h.a[k] + k;
    for (int k = 0; k < n; k++) put(&last, f[k]);
    (last) += 3;
    if (in[i] & last) last++;
    out[i] = h.a[1] + f[2], out[i] = out[i] * 2 + last; // one after the other
}
//: kernel counted
//: launch 80
//: thread yes
//: group maybe
//: merge yes
//: args int[1] = 0; int[80] = 0; int 80
__kernel void counted(__global int *restrict total, __global int *restrict out, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    atomic_add(total, 1);
    int t = *total; // what has been added by then: it is 1 at least
    int u = total[0];
    out[i] = t > 0 && u >= t;
}
