// Five kernels as one would write them first, and the same merged by hand: F work-items in one, 32
// apart in one dimension, neighbours in y in two. Where a work-item's F do not all lie inside, the
// program's sizes see to it that none does.
#ifndef F
#define F 2
#endif
#define EACH _Pragma("unroll") for (int q = 0; q < F; q++)

__kernel void nbody(__global float *out, __global const float *a, __global const float *b, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    __global const float4 *p = (__global const float4 *)a;
    float4 me = p[i];
    float x = 0, y = 0, z = 0;
    for (int j = 0; j < n; j++) {
        float4 o = p[j];
        float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
        float r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
        float s = o.w * r * r * r;
        x += dx * s;
        y += dy * s;
        z += dz * s;
    }
    ((__global float4 *)out)[i] = (float4)(x, y, z, 0);
}

__kernel void nbody_hand(__global float *out, __global const float *a, __global const float *b,
                         int n)
{
    int t = get_global_id(0), i[F];
    EACH i[q] = t / 32 * 32 * F + t % 32 + 32 * q;
    if (i[F - 1] >= n) return;
    __global const float4 *p = (__global const float4 *)a;
    float4 me[F];
    float x[F], y[F], z[F];
    EACH {
        me[q] = p[i[q]];
        x[q] = y[q] = z[q] = 0;
    }
    for (int j = 0; j < n; j++) {
        float4 o = p[j];
        EACH {
            float dx = o.x - me[q].x, dy = o.y - me[q].y, dz = o.z - me[q].z;
            float r = rsqrt(dx * dx + dy * dy + dz * dz + 0.01f);
            float s = o.w * r * r * r;
            x[q] += dx * s;
            y[q] += dy * s;
            z[q] += dz * s;
        }
    }
    EACH ((__global float4 *)out)[i[q]] = (float4)(x[q], y[q], z[q], 0);
}

__kernel void product(__global float *out, __global const float *a, __global const float *b, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    float s = 0;
    for (int k = 0; k < n; k++) s += a[y * n + k] * b[k * n + x];
    out[y * n + x] = s;
}

__kernel void product_hand(__global float *out, __global const float *a, __global const float *b,
                           int n)
{
    int x = get_global_id(0), y = get_global_id(1) * F;
    if (x >= n || y + F > n) return;
    float s[F];
    EACH s[q] = 0;
    for (int k = 0; k < n; k++) {
        float v = b[k * n + x];
        EACH s[q] += a[(y + q) * n + k] * v;
    }
    EACH out[(y + q) * n + x] = s[q];
}

__kernel void norm(__global float *out, __global const float *a, __global const float *b, int n)
{
    int i = get_global_id(0);
    if (i >= n) return;
    out[i] = a[i] * a[i] + b[i] * b[i];
}

__kernel void norm_hand(__global float *out, __global const float *a, __global const float *b,
                        int n)
{
    int t = get_global_id(0), i[F];
    EACH i[q] = t / 32 * 32 * F + t % 32 + 32 * q;
    if (i[F - 1] >= n) return;
    float u[F], v[F];
    EACH u[q] = a[i[q]];
    EACH v[q] = b[i[q]];
    EACH out[i[q]] = u[q] * u[q] + v[q] * v[q];
}

__kernel void window(__global float *out, __global const float *a, __global const float *b, int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x < 3 || y < 3 || x >= n - 3 || y >= n - 3) return;
    float s = 0;
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++) s += a[(y + j) * n + x + i] * b[(j + 3) * 7 + i + 3];
    out[y * n + x] = s;
}

__kernel void window_hand(__global float *out, __global const float *a, __global const float *b,
                          int n)
{
    int x = get_global_id(0), y = get_global_id(1) * F;
    if (x < 3 || x >= n - 3) return;
    float s[F];
    EACH s[q] = 0;
    if (y < 3 || y + F > n - 3) {
        EACH {
            if (y + q < 3 || y + q >= n - 3) continue;
            for (int j = -3; j <= 3; j++)
                for (int i = -3; i <= 3; i++)
                    s[q] += a[(y + q + j) * n + x + i] * b[(j + 3) * 7 + i + 3];
            out[(y + q) * n + x] = s[q];
        }
        return;
    }
    for (int j = -3; j <= 3; j++)
        for (int i = -3; i <= 3; i++) {
            float v = b[(j + 3) * 7 + i + 3];
            EACH s[q] += a[(y + q + j) * n + x + i] * v;
        }
    EACH out[(y + q) * n + x] = s[q];
}

__kernel void transpose(__global float *out, __global const float *a, __global const float *b,
                        int n)
{
    int x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    out[x * n + y] = a[y * n + x];
}

__kernel void transpose_hand(__global float *out, __global const float *a, __global const float *b,
                             int n)
{
    int x = get_global_id(0), y = get_global_id(1) * F;
    if (x >= n || y + F > n) return;
    float v[F];
    EACH v[q] = a[(y + q) * n + x];
    EACH out[x * n + y + q] = v[q];
}
