// Three C functions that count bits, profiled on parts of one problem: each does some numbers, and
// that counts; all others go to whichever is fastest by then.
//     cc -std=c99 -O2 -fopenmp -I. examples/18_host_pool.c -o host_pool -lm
// On two processor cores it prints:
//     one by one  215 million/s
//     lowest      246 million/s
//     fours       421 million/s
//     fours: 3 parts, then the rest.
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

static void part(const gputune_host_call *call) // of the numbers; args: bits, or a copy of it
{
    for (size_t i = call->begin[0]; i < call->end[0]; i++)
        ((int *)call->args[1])[i] = ((struct method *)call->user)->count((unsigned)i);
}

int main(void)
{
    gputune_device *device = gputune_host_device(NULL);
    gputune_variant variants[METHODS + 1] = { { 0 } };
    for (int i = 0; i < METHODS; i++) {
        const gputune_function function[] = { { methods[i].name, part, &methods[i] }, { 0 } };
        variants[i].kernel = gputune_kernel_create(
            device, &(gputune_kernel_desc){ .functions = function, .name = methods[i].name,
                                            .global = "n", .local = "16384" });
    }
    gputune_pool_desc desc = { .variants = variants, .mode = GPUTUNE_PROFILE_FULLY }; // equal work
    gputune_pool *pool = gputune_pool_create(device, &desc);
    const gputune_arg args[] = { gputune_named(gputune_int(N), "n"),
                                 gputune_out(bits, sizeof bits) };
    int wrong = gputune_pool_run(pool, args, 2, GPUTUNE_PROFILE_FIRST) != GPUTUNE_OK;
    const gputune_pool_outcome *o = gputune_pool_last(pool);
    for (int i = 0; i < o->variant_count; i++)
        printf("%-10s %4.0f million/s\n", o->variants[i].name, o->variants[i].rate / 1e6);
    printf("%s: %d parts, then the rest. %s\n", o->name, o->parts, o->note);
    for (int i = 0; i < N; i++) wrong |= bits[i] != bits[i / 2] + i % 2;
    puts(wrong ? "the bits are wrong" : "the bits are right");
    gputune_pool_destroy(pool);
    for (int i = 0; i < METHODS; i++) gputune_kernel_destroy(variants[i].kernel);
    gputune_device_destroy(device);
    return wrong;
}
