// One pass of Floyd's and Warshall's shortest paths: the way from y to x over the node `pass`.

#pragma gputune global nodes, nodes
#pragma gputune local 16, 16
__kernel void floydWarshall(__global uint *distance, __global uint *path, uint nodes, uint pass)
{
    int x = (int)get_global_id(0), y = (int)get_global_id(1);
    int k = (int)pass;
    uint before = distance[y * nodes + x];
    uint over = distance[y * nodes + k] + distance[k * nodes + x];
    if (over < before) {
        distance[y * nodes + x] = over;
        path[y * nodes + x] = k;
    }
}
