// Names that a rewriter might have chosen, or taken for ids.
//: kernel gputune_like
//: skip oclgrind
//: launch 90 / 15
//: thread yes
//: group yes
//: args int 2; int 3; int[90] = mod 12; int[90] = 0
//: kernel body
//: launch 90 / 15
//: thread yes
//: group yes
//: args int[90] = mod 13; int[90] = 0
struct ids {
    int get_global_id, get_local_id, x;
};

__kernel void gputune_like(int factor, int stride, __global const int *grid, __global int *v)
{
    int tid = get_global_id(0), blockIdx = 7, threadIdx_x = 1, k = 2, begin = 3, gputune = 4;
    struct ids gputune_ids = { tid, 5, 6 };
    struct ids *p = &gputune_ids;
    for (k = 0; k < factor; k++) blockIdx += stride * k;
    v[p->get_global_id] = grid[tid] + blockIdx + threadIdx_x + begin + gputune +
                          gputune_ids.get_local_id + p->x;
}

__kernel void body(__global const int *grid_, __global int *gputune_body)
{
    const int end = 1, i = get_global_id(0), size = 2, local_ = 3;
    gputune_body[i] = grid_[i] + end + size + local_;
}
