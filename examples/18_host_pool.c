// Three C functions that count bits, profiled on parts of one problem: each does some numbers, and
// that counts; all others go to whichever is fastest by then.
//     cc -std=c99 -O2 -fopenmp -I. examples/18_host_pool.c -o host_pool -lm
// On two busy processor cores it prints:
//     one by one   28 million/s
//     lowest       65 million/s
//     fours        97 million/s
//     fours: 5 parts of at most 524288 units, rounds: 2; fully: the program's
//       choice; 698 ms, 2.7 of them for profiling
//     the bits are right
#define GPUTUNE_POOL_IMPLEMENTATION
#include "gputune.h"
#include <stdio.h>

enum { N = 1 << 26, METHODS = 3 };
static int bits[N]; // of each number

static int one_by_one(unsigned x) { return x ? (int)(x & 1) + one_by_one(x >> 1) : 0; }
static int lowest_first(unsigned x) { return x ? 1 + lowest_first(x & (x - 1)) : 0; }
static int in_fours(unsigned x)
{
    return x ? "0112122312232334"[x & 15] - '0' + in_fours(x >> 4) : 0;
}

static struct method {
    const char *name;
    int (*count)(unsigned x);
} methods[] = { { "one by one", one_by_one }, { "lowest", lowest_first }, { "fours", in_fours } };

static void part(const gputune_grid *range, void *const *args, const gputune_config *c, void *user)
{
    (void)c; // args: bits, or a copy of it
    for (uint64_t i = range->begin[0]; i < range->end[0]; i++)
        ((int *)args[0])[i] = ((struct method *)user)->count((unsigned)i);
}

int main(void)
{
    gputune_device *device = gputune_host_device_create(NULL);
    gputune_function functions[METHODS][2] = { { { 0 } } };
    gputune_kernel_desc kernels[METHODS + 1] = { { 0 } };
    for (int i = 0; i < METHODS; i++) {
        functions[i][0] = (gputune_function){ methods[i].name, part, &methods[i] };
        kernels[i] = (gputune_kernel_desc){ .functions = functions[i], .name = methods[i].name,
                                            .global = "n", .local = "16384" };
    }
    gputune_pool_desc desc = { .kernels = kernels, .mode = GPUTUNE_PROFILE_FULLY }; // equal work
    gputune_pool *pool = gputune_pool_create(device, &desc);
    const gputune_arg args[] = { gputune_out(bits, sizeof bits), gputune_number("n", N) };
    int wrong = gputune_pool_run(pool, args, 2) != GPUTUNE_OK;
    const gputune_pool_report *o = gputune_pool_outcome(pool);
    for (int i = 0; o->variants[i].name; i++)
        printf("%-10s %4.0f million/s\n", o->variants[i].name, o->variants[i].rate / 1e6);
    puts(o->text);
    for (int i = 0; i < N; i++) wrong |= bits[i] != bits[i / 2] + i % 2;
    puts(wrong ? "the bits are wrong" : "the bits are right");
    gputune_pool_destroy(pool);
    gputune_device_destroy(device);
    return wrong;
}
