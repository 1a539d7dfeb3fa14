// One step of a breadth-first search (jia-starchart, figure 6, with any number of edges a node):
// nodes of the level in hand are visited, what they lead to and no level has yet is to visit.
// Attributes and status flags come in two layouts, records or one array each.

// Threads in a block.
#pragma gputune range 32,1024
#define BLOCK 256
// Nodes that a thread processes.
#pragma gputune range 1,64
#define NPT 1
// A thread's nodes lie side by side; else a block's threads take neighbours.
#pragma gputune bool
#define CONSEC 0
// Attributes (level, first edge, number of edges) in an array each.
#pragma gputune bool
#define PA_ATTRIB 0
// Status flags (visited, to visit) in an array each.
#pragma gputune bool
#define PA_STATUS 0
#pragma gputune require BLOCK <= min(1024, max_group_size)

#if PA_ATTRIB
#define ATTRIBUTE(node, which) attributes[4 * n + (which) * n + (node)]
#else
#define ATTRIBUTE(node, which) attributes[4 * (node) + (which)]
#endif
#if PA_STATUS
#define STATUS(node, which) status[(which) * n + (node)]
#else
#define STATUS(node, which) status[2 * (node) + (which)]
#endif

#pragma gputune global ceil_div(n, BLOCK * NPT) * BLOCK
#pragma gputune local BLOCK
__kernel void bfs(int n, int level, __global const int *attributes, __global const int *edges,
                  __global char *status)
{
    const int thread = get_global_id(0), group = get_group_id(0), lane = get_local_id(0);
    for (int i = 0; i < NPT; i++) {
#if CONSEC
        const int node = thread * NPT + i;
#else
        const int node = group * BLOCK * NPT + BLOCK * i + lane;
#endif
        if (node < n && ATTRIBUTE(node, 0) == level) {
            const int first = ATTRIBUTE(node, 1), count = ATTRIBUTE(node, 2);
            STATUS(node, 0) = 1;
            for (int k = first; k < first + count; k++) {
                const int next = edges[k];
                if (ATTRIBUTE(next, 0) > level)
                    STATUS(next, 1) = 1;
            }
        }
    }
}
