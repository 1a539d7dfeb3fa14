// A frontier's neighbours; several may write the same value, and a flag.
//: kernel bfs_frontier
//: launch 208 / 16
//: thread yes
//: group yes
//: args int[201] = ramp 4; int[800] = mod 200; uchar[200] = mod 2; uchar[200] = 0
//: args uchar[200] = mod 3; int[200] = 1; int 200
//: kernel bfs_update
//: launch 208 / 16
//: thread yes
//: group yes
//: args uchar[200] = 0; uchar[200] = mod 2; uchar[200] = 0; uchar[1] = 0; int 200
typedef uchar flag;
__kernel void bfs_frontier(__global const int *starts, __global const int *edges,
                           __global flag *mask, __global flag *updating,
                           __global const flag *visited, __global int *cost, const int nodes)
{
    int tid = get_global_id(0);
    if (tid < nodes && mask[tid]) {
        mask[tid] = 0;
        for (int i = starts[tid]; i < starts[tid + 1]; i++) {
            int id = edges[i];
            if (!visited[id]) updating[id] = 1;
        }
        cost[tid] += 1;
    }
}

__kernel void bfs_update(__global flag *mask, __global flag *updating, __global flag *visited,
                         __global flag *over, const int nodes)
{
    int tid = get_global_id(0);
    if (tid < nodes && updating[tid]) {
        mask[tid] = 1;
        visited[tid] = 1;
        *over = 1;
        updating[tid] = 0;
    }
}
