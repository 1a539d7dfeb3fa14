// The nearest centre, with a loop in a loop.
//: kernel nearest
//: launch 160 / 32
//: thread yes
//: group yes
//: args float[600] = random -10 10; float[20] = random -10 10; int[150] = -1; int 150; int 5; int 4
__kernel void nearest(__global const float *feature, __global const float *centres,
                      __global int *membership, int points, int clusters, int features)
{
    unsigned int point = get_global_id(0);
    int index = 0;
    float least = FLT_MAX;
    if (point >= points) return;
    for (int i = 0; i < clusters; i++) {
        float sum = 0;
        for (int l = 0; l < features; l++) {
            float d = feature[l * points + point] - centres[i * features + l];
            sum += d * d;
        }
        if (sum < least) {
            least = sum;
            index = i;
        }
    }
    membership[point] = index;
}
