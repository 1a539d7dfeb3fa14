// Macros that are calls of ids, that name id functions, and one on top of another.
//: kernel macro_ids
//: launch 30 20 / 6 4
//: options -DOFFSET=7
//: thread yes
//: group yes
//: args int[600] = 0
#define GID_X get_global_id(0)
#define GLOBAL_ID(d) get_global_id(d)
#define ID get_global_id
#define WIDTH ((int)get_global_size(0))
#define INDEX (GLOBAL_ID(1) * WIDTH + GID_X)
#define LOCAL_SUM(a, b) (get_local_id(a) + get_local_id(b))

__kernel void macro_ids(__global int *out)
{
    out[INDEX] = (int)ID(0) * 3 + (int)ID(1) + (int)LOCAL_SUM(0, 1) + OFFSET;
}
