// No guard, no work-group of its own, a prime number of work-items.
//: kernel vector_add
//: launch 1009
//: thread yes
//: args int[1009] = random -1000 1000; int[1009] = mod 991; int[1009] = -1
kernel void vector_add(global const int *restrict a, global const int *restrict b,
                       global int *restrict c)
{
    size_t gid = get_global_id(0);
    c[gid] = a[gid] + b[gid] * 3;
}
