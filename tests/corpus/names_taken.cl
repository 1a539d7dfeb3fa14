// The very names that rewritten kernels have.
//: kernel taken
//: launch 90 / 15
//: thread maybe
//: group maybe
//: range no this name is taken: is it rewritten already?
//: args int[90] = mod 13; int[90] = 0
__kernel void taken(__global const int *gputune_grid, __global int *gt__item)
{
    const int gt__here = get_global_id(0);
    gt__item[gt__here] = gputune_grid[gt__here] + 1;
}
