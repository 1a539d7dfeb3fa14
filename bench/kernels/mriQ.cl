// The matrix Q of a magnetic resonance image's reconstruction: one voxel a work-item, the sum over
// the samples in k-space {x, y, z, squared magnitude}, a batch of samples a launch.

#define TWO_PI 6.2831853071795864769f

#pragma gputune global voxels
#pragma gputune local 256
__kernel void mriQ(uint voxels, int samples, __global const float *x, __global const float *y,
                   __global const float *z, __global float *real, __global float *imaginary,
                   __global const float4 *k)
{
    uint id = get_global_id(0);
    if (id >= voxels)
        return;
    float px = x[id], py = y[id], pz = z[id];
    float sum_real = 0.0f, sum_imaginary = 0.0f;
    for (int i = 0; i < samples; i++) {
        float4 sample = k[i];
        float angle = TWO_PI * (sample.x * px + sample.y * py + sample.z * pz);
        sum_real += sample.w * cos(angle);
        sum_imaginary += sample.w * sin(angle);
    }
    real[id] = sum_real;
    imaginary[id] = sum_imaginary;
}
