// Tiles of bodies in a local parameter of vectors.
//: kernel nbody
//: launch 96 / 16
//: thread no local memory
//: group yes
//: args float[384] = random -4 4; float[384] = random -1 1; float[384] = 0; float[384] = 0
//: args uint 96; float 0.25; local 256
__kernel void nbody(__global const float4 *pos, __global const float4 *vel,
                    __global float4 *new_pos, __global float4 *new_vel, uint count, float dt,
                    __local float4 *tile)
{
    uint l = get_local_id(0), g = get_global_id(0), size = get_local_size(0);
    float4 mine = pos[g], acc = (float4)(0.0f);
    for (uint t = 0; t < count / size; t++) {
        tile[l] = pos[t * size + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint j = 0; j < size; ++j) {
            float4 r = tile[j] - mine;
            float d = r.x * r.x + r.y * r.y + r.z * r.z + 0.5f;
            acc += r * (tile[j].w / d);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    acc.w = 0.0f;
    new_pos[g] = mine + vel[g] * dt + acc * (0.5f * dt * dt);
    new_vel[g] = vel[g] + acc * dt;
}
