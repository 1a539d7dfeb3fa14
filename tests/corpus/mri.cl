// Work-items over voxels, constants in a struct, precise arithmetic only.
//: kernel compute_q
//: launch 128 / 16
//: thread yes
//: group yes
//: args int 10; int 5; float[128] = random -2 2; float[128] = random -2 2; float[128] = 0
//: args float[128] = 1; float[40] = random -3 3
#define PER_GRID 8
struct value {
    float x, y, z, phi;
};
__kernel void compute_q(int num_k, int index, __global float *x_g, __global float *y_g,
                        __global float *r, __global float *i, __constant struct value *c)
{
    int x_index = get_group_id(0) * 16 + get_local_id(0), k = 0;
    float sx = x_g[x_index], sy = y_g[x_index], qr = r[x_index], qi = i[x_index];
    if (num_k % 2) {
        qr += sx * c[0].x;
        k++;
        index++;
    }
    for (; k < PER_GRID && index < num_k; k += 2, index += 2) {
        qr += c[k].phi * (sx * c[k].x + sy * c[k].y);
        qi -= c[k + 1].phi * (sx * c[k + 1].y + sy * c[k + 1].z);
    }
    r[x_index] = qr;
    i[x_index] = qi;
}
