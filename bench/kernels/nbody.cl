// One time step of bodies {x, y, z, mass} under gravity: one body a work-item, all forces on it.

#pragma gputune global bodies
#pragma gputune local 256
__kernel void nbody(__global const float4 *position, __global const float4 *velocity, int bodies,
                    float step, float softening, __global float4 *new_position,
                    __global float4 *new_velocity)
{
    unsigned int id = get_global_id(0);
    float4 mine = position[id];
    float4 pull = (float4)(0.0f, 0.0f, 0.0f, 0.0f);
    for (int i = 0; i < bodies; i++) {
        float4 other = position[i];
        float x = other.x - mine.x, y = other.y - mine.y, z = other.z - mine.z;
        float inverse = rsqrt(x * x + y * y + z * z + softening);
        float strength = other.w * inverse * inverse * inverse;
        pull.x += strength * x;
        pull.y += strength * y;
        pull.z += strength * z;
    }
    float4 speed = velocity[id];
    float4 moved;
    moved.x = mine.x + speed.x * step + 0.5f * pull.x * step * step;
    moved.y = mine.y + speed.y * step + 0.5f * pull.y * step * step;
    moved.z = mine.z + speed.z * step + 0.5f * pull.z * step * step;
    moved.w = mine.w;
    speed.x += pull.x * step;
    speed.y += pull.y * step;
    speed.z += pull.z * step;
    new_position[id] = moved;
    new_velocity[id] = speed;
}
