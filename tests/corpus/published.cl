// What stands in published kernels: attributes for vendors under #ifdefs, labels in brackets, a
// guard of all that comes first.
#ifdef cl_intel_required_subgroup_size
#define INTEL_GPU 1
#define REQD_SUBGROUP_SIZE_32 __attribute__((intel_reqd_sub_group_size(32)))
#elif defined(cl_qcom_reqd_sub_group_size)
#define ADRENO_GPU 1
#define REQD_SUBGROUP_SIZE_64 __attribute__((qcom_reqd_sub_group_size("half")))
#endif

//: kernel labels
//: launch 90
//: thread yes
//: group maybe
//: plain labels_plain
//: args int[90] = mod 7; int[90] = 0
#ifdef INTEL_GPU
REQD_SUBGROUP_SIZE_32
#elif defined (ADRENO_GPU)
REQD_SUBGROUP_SIZE_64
#endif
kernel void labels(global const int *in, global int *out)
{
    const int g = get_global_id(0);
    switch (in[g]) {
    case (1 | 2): out[g] = 30; break;
    case (4): out[g] = 40; break;
    default: out[g] = in[g];
    }
}
#ifdef INTEL_GPU
REQD_SUBGROUP_SIZE_32
#elif defined (ADRENO_GPU)
REQD_SUBGROUP_SIZE_64
#endif
kernel void labels_plain(global const int *in, global int *out)
{
    if (get_global_id(0)) return;
    for (int g = 0; g < 90; g++) out[g] = in[g] == 3 ? 30 : in[g] == 4 ? 40 : in[g];
}

//: kernel guard_first
//: launch 48 12
//: thread yes
//: group maybe
//: merge yes
//: plain guard_first_plain
//: args short[1584] = mod 99; float[1584] = 0; int 44; int 12
kernel void guard_first(global const short *in, global float *out, int width, int height)
{
    if ((get_global_id(0) < width) && (get_global_id(1) < height)) {
        int i = 3 * (get_global_id(0) + width * get_global_id(1));
        for (int c = 0; c < 3; c++) out[i + c] = (float)in[i + c];
    }
}
kernel void guard_first_plain(global const short *in, global float *out, int width, int height)
{
    if (get_global_id(0) || get_global_id(1)) return;
    for (int i = 0; i < 3 * width * height; i++) out[i] = (float)in[i];
}
