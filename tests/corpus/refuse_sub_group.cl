// Functions over sub-groups and work-groups; device-side launches.
//: kernel sub_groups
//: options -cl-std=CL2.0
//: launch 64 / 16
//: skip opencl oclgrind nvrtc
//: thread no sub_group
//: group maybe
//: args int[64] = mod 9; int[64] = 0
//: kernel work_groups
//: options -cl-std=CL2.0
//: launch 64 / 16
//: skip opencl oclgrind nvrtc
//: thread no work_group
//: group maybe
//: args int[64] = mod 9; int[64] = 0
//: kernel enqueues
//: options -cl-std=CL2.0
//: launch 64 / 16
//: thread no enqueue
//: group no enqueue
//: range no not known here
//: args int[64] = 0
__kernel void sub_groups(__global const int *in, __global int *out)
{
    int sum = sub_group_reduce_add(in[get_global_id(0)]);
    out[get_global_id(0)] = sum + (int)get_sub_group_local_id();
}

__kernel void work_groups(__global const int *in, __global int *out)
{
    out[get_global_id(0)] = work_group_scan_inclusive_add(in[get_global_id(0)]);
}

__kernel void enqueues(__global int *out)
{
    if (get_global_id(0) == 0)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(64), ^{
            out[get_global_id(0)] = 1;
        });
}
