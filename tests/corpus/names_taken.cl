// The very names that rewritten kernels have.
//: kernel taken
//: launch 90 / 15
//: thread maybe
//: group maybe
//: range no this name is taken: is it rewritten already?
//: args int[90] = mod 13; int[90] = 0
__kernel void taken(__global const int *gputune_grid, __global int *gputune__item)
{
    const int gputune__here = get_global_id(0);
    gputune__item[gputune__here] = gputune_grid[gputune__here] + 1;
}
