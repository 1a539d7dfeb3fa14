// A vendor's own way to ask for the group.
//: kernel vendors_id
//: launch 64 / 16
//: skip opencl oclgrind nvrtc
//: thread no not known here
//: group no not known here
//: range no not known here
//: args int[64] = 0
__kernel void vendors_id(__global int *x)
{
    x[__builtin_amdgcn_workgroup_id_x()] = 1;
}
