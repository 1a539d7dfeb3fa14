// What OpenCL C says about vectors and built-in functions, for prelude.cc to compare with plain C.

__constant float4 corner = (float4)(1, 2, 3, 4);

__kernel void literals(float a, __global float4 *v, __global float8 *w, __global float *x)
{
    v[0] = (float4)(a, 2, 3.5f, 4);
    v[1] = (float4)(a);
    v[2] = (float4)((float2)(1, 2), (float2)(3, 4));
    v[3] = (float4)(a, v[2].yz, 9);
    v[4] = (float4)(v[2].xyz, a) + corner;
    float3 t = (float3)(7, 8, 9);
    v[5] = (float4)(t, a);
    v[6] = (float4){ 1, 2, 3, 4 };
    w[0] = (float8)(v[2], corner.lo, 10, 11);
    float16 all = (float16)(w[0], w[0].hi, v[2]);
    x[0] = all.sF + all.s0 * 100;
    x[1] = all.sa;
}

__kernel void components(__global float4 *v, __global float8 *w)
{
    const float4 q = (float4)(0, 1, 2, 3);
    v[0] = q.wzyx;
    v[1] = q.xxyy;
    v[2] = q;
    v[2].xyz = q.zxy;
    v[3] = q;
    v[3].wx += (float2)(10, 20);
    v[4] = q;
    v[4].yx = v[4].xy; // all read before any is written
    v[5] = q;
    v[5].hi = v[5].lo;
    v[6] = q;
    v[6].s31 *= 5.0f;
    w[0] = (float8)(q, q);
    w[0].s07 = w[0].s45 + 100.0f;
    w[0].hi.yz = (float2)(-1, -2);
}

__kernel void operators(__global int4 *v, __global float4 *f)
{
    const int4 a = (int4)(7, -8, 9, 10), b = (int4)(2, 3, -4, 5);
    v[0] = a + b * 2 - 1;
    v[1] = a / b + a % b;
    v[2] = (a & b) | (a ^ 3) | ~b;
    v[3] = (a << 2) >> 1;
    v[4] = a < b * 3;
    v[5] = (a == 7) || !(b - 3);
    v[6] = -a;
    v[6] += b;
    v[6]++;
    v[7] = 2 * a > 10 && b != 5;
    v[8] = (a - a + 1) << (int4)(33, -1, 4, 37);
    f[0] = 2 / (float4)(1, 2, 4, 8);
    f[1] = f[0];
    f[1] -= 1;
    f[1] /= (float4)(2);
}

__kernel void memory(__global float *x, __global int *n)
{
    float4 v = vload4(1, x);
    vstore4(v.wzyx, 2, x);
    vstore3(vload3(1, x), 4, x);
    vstore2((float2)(-1, -2), 8, x);
    n[0] = sizeof(float3) + sizeof(float4) * 100 + sizeof(float16) * 10000;
    n[1] = sizeof(char2) + sizeof(short3) * 10 + sizeof(double2) * 1000;
}

__kernel void conversions(__global uchar *b, __global int *n, __global float *x)
{
    const float4 f = (float4)(-3.5f, 3.5f, 254.5f, 1e10f);
    uchar4 u = convert_uchar4_sat(f), r = convert_uchar4_sat_rte(f);
    int4 up = convert_int4_rtp(f * (float4)(1, 1, 1, 0)), down = convert_int4_rtn(f * 0.5f * 0.1f);
    vstore4(u, 0, b);
    vstore4(r, 1, b);
    b[8] = convert_uchar_sat(-5);
    b[9] = convert_uchar_sat(300);
    b[10] = (uchar)convert_char_sat(200u);
    b[11] = convert_uchar(258);
    vstore4(up, 0, n);
    n[4] = down.x;
    n[5] = convert_int_sat(3e9f) == INT_MAX && convert_int_sat(-3e9f) == INT_MIN;
    n[6] = convert_int_sat(5000000000L) == INT_MAX && convert_uint_sat(-1L) == 0;
    n[7] = as_int(1.0f);
    n[8] = as_int4((float4)(0, 1, 0, 2)).w;
    x[0] = as_float(0x40000000);
    x[1] = convert_float(n[7]) + convert_float4((int4)(1, 2, 3, 4)).z;
}

__kernel void functions(__global float *x, __global int *n)
{
    const float4 a = (float4)(-1, 0.25f, 0.5f, 2), b = (float4)(4, 3, 2, 1);
    vstore4(mad(a, b, a), 0, x);
    vstore4(clamp(a, 0.0f, 1.0f), 1, x);
    vstore4(mix(a, b, 0.5f), 2, x);
    vstore4(fmax(a, b) + min(a, 1.0f), 3, x);
    vstore4(step(0.5f, a.y) + sign(a), 4, x);
    x[20] = dot(a, b);
    x[21] = length(b);
    x[22] = smoothstep(0.0f, 2.0f, 0.5f);
    x[23] = smoothstep(0.0f, 2.0f, 3.0f) + sign(-4.0f);
    x[24] = cross((float4)(1, 0, 0, 0), (float4)(0, 1, 0, 0)).z;
    const int4 i = (int4)(1, -1, 255, 0x40000000);
    vstore4(popcount(i), 0, n);
    vstore4(clz(i), 1, n);
    vstore4(rotate(i, (int4)(1)), 2, n);
    vstore4(select(i, (int4)(5), a < b), 3, n);
    vstore4(clamp(i, 0, 100), 4, n);
    n[20] = any(a < 0.0f) + 2 * all(a < b);
    n[21] = rotate((uchar)0x81, (uchar)1) + popcount((uchar)0xff) * 1000;
    n[22] = clz((short)1) + mad24(3, 4, 5) * 100;
    n[23] = select(1, 2, 0) + clamp((short)9, (short)1, (short)3) * 10;
    n[24] = abs(n[0] - 3) - 5 > 0;
    n[25] = abs((int4)(INT_MIN, -1, 2, 3)).x == 0x80000000u && abs((short)-3) == 3;
    n[26] = abs_diff(-2, INT_MAX) == 0x80000001u;
    n[27] = ((uchar4)(1) << (uchar4)(9)).x + 10 * ((uchar4)(128) >> 9).y;
    x[25] = normalize((float4)(0)).x + fast_normalize((float4)(0)).x;
    x[26] = length((float4)(1e30f)) / 1e30f + length((float4)(1e-30f)) * 1e30f;
    x[27] = normalize((float4)(3e-30f, 4e-30f, 0, 0)).y;
    x[28] = isnan(powr(-1.0f, 2.0f)) + 2 * (int)powr(2.0f, 3.0f) + length(-3.0f);
    x[29] = step(0.5f, a).w + smoothstep(0.0f, 2.0f, (float2)(1, 3)).x * 5;
    x[30] = fract(-1.75f, x + 29) + (x[29] == -2 ? 0 : 9);
    x[29] = 3.5f;
    n[28] = add_sat((char)100, (char)100) + sub_sat((char)-100, (char)100);
    n[29] = sub_sat(3u, 4u) + hadd(INT_MAX, INT_MAX - 1) / (INT_MAX - 1) * 3 + ctz(8) / 3 * 2000;
    n[30] = isnan((float2)(1, NAN)).y * 2 + ctz((short)0) / 16 * 300;
    n[31] = bitselect(8, 3, 3) + add_sat(INT_MIN, -1) - INT_MIN + (int)sub_sat(0UL, 1UL);
}

__kernel void items(__global ulong *n, __local int *t, __local short *u)
{
    n[0] = get_global_id(0) + 1000 * get_global_size(1) + 1000000 * get_local_size(2);
    n[1] = get_group_id(0) + 100 * get_num_groups(1) + 10000 * get_global_id(3);
    n[2] = get_work_dim() + 10 * get_local_size(3) + 100 * get_num_groups(7);
    u[1] = 5;
    t[2] = 6;
    barrier(CLK_LOCAL_MEM_FENCE);
    n[3] = t[2] + 10 * u[1] + 100 * atomic_inc(t + 2) + 1000 * t[2];
    atomic_sub(t + 2, 3);
    n[4] = t[2] + 100 * atomic_cmpxchg(t + 2, 4, 9) + 1000 * t[2] + 10000 * atom_max(n + 6, 3);
}
