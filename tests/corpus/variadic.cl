// Macros whose arguments may be none, and a function whose last branch meets and ends. NVIDIA's
// compiler does not know __VA_OPT__.
//: kernel meets_last
//: launch 96 / 8
//: skip nvidia
//: thread no local memory
//: group yes
//: plain meets_last_plain
//: args int[96] = mod 67; int[96] = 0; int 1
#define SUM(t, ...) sum_of_eight(t __VA_OPT__(,) __VA_ARGS__)
#define SHIFTED(a, ...) ((a) + sum_all(0, ##__VA_ARGS__))
int sum_all(int a, int b) { return a + b; }
int sum_of_eight(local int *t, int all)
{
    t[get_local_id(0)] *= 2;
    if (all) {
        int sum = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++) sum += t[i];
        return sum;
    } else
        return 0;
}
kernel void meets_last(global const int *in, global int *out, int all)
{
    local int t[8];
    t[get_local_id(0)] = in[get_global_id(0)];
    out[get_global_id(0)] = SHIFTED(SUM(t, all), 3);
}
kernel void meets_last_plain(global const int *in, global int *out, int all)
{
    if (get_global_id(0)) return;
    for (int g = 0; g < 96; g++) {
        out[g] = 3;
        for (int i = 0; i < 8 && all; i++) out[g] += 2 * in[g / 8 * 8 + i];
    }
}
