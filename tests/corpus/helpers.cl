// Ids in helper functions two deep, with prototypes, and handed through macros.
//: kernel from_helpers
//: launch 20 15 / 4 5
//: thread yes
//: group yes
//: args int[300] = 0; int[300] = mod 61
int position(int width);
static int row(void);

#define AT(array) array[position((int)get_global_size(0))]
#define TWICE(x) ((x) + (x))

static inline int column(void) { return (int)get_global_id(0); }

__kernel void from_helpers(__global int *out, __global const int *in)
{
    AT(out) = TWICE(AT(in)) + TWICE(row()) * 100 + column();
}

static int row(void)
{
    return (int)get_global_id(1);
}

int position(int width)
{
    return row() * width + column();
}
