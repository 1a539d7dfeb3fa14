// OpenCL 2's linear ids.
//: kernel linear
//: options -cl-std=CL2.0
//: launch 12 10 / 4 5
//: skip nvrtc opencl
//: thread maybe
//: group maybe
//: args int[240] = -1
__kernel void linear(__global int *out)
{
    size_t i = get_global_linear_id();
    out[2 * i] = (int)get_local_linear_id() + 1;
    out[2 * i + 1] = (int)get_enqueued_local_size(0) * 10 + (int)get_enqueued_local_size(1);
}
