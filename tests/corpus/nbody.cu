// Tiles of float4 in a helper with the barrier.
//: kernel integrate
//: launch 64 / 16
//: thread no shared memory
//: group yes
//: args float[256] = random -4 4; float[256] = 0; int 64; float 0.25
__device__ float3 interact(float4 bi, float4 bj, float3 ai)
{
    float dx = bj.x - bi.x, dy = bj.y - bi.y, dz = bj.z - bi.z;
    float s = bj.w / (dx * dx + dy * dy + dz * dz + 0.5f);
    ai.x += dx * s;
    ai.y += dy * s;
    ai.z += dz * s;
    return ai;
}

__device__ float3 gather(float4 body, const float4 *positions, int tiles)
{
    __shared__ float4 tile[16];
    float3 acc = { 0.0f, 0.0f, 0.0f };
    for (int t = 0; t < tiles; t++) {
        tile[threadIdx.x] = positions[t * blockDim.x + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < (int)blockDim.x; k++) acc = interact(body, tile[k], acc);
        __syncthreads();
    }
    return acc;
}

__global__ void integrate(const float4 *positions, float4 *out, int n, float dt)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 body = positions[i];
    const float3 a = gather(body, positions, n / blockDim.x);
    body.x += a.x * dt;
    body.y += a.y * dt;
    body.z += a.z * dt;
    out[i] = body;
}
