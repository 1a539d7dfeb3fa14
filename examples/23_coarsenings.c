// What thread coarsening would make of a kernel, without any device: its configurations for a GPU
// that is given as numbers, how each is launched, and the rewritten text of one.
//
//     cc -std=c99 -O2 -I. examples/23_coarsenings.c -o coarsenings -lm
//     ./coarsenings [NUMBER]
//
// It prints:
//      0  FACTOR_X=1 STRIDE_X=1 GROUP_X=0 COARSEN_FORM=loop: 1000064 work-items in groups of 128
//      1  FACTOR_X=1 STRIDE_X=1 GROUP_X=64 COARSEN_FORM=loop: 1000064 work-items in groups of 64
//     ...
//     26  FACTOR_X=8 STRIDE_X=32 GROUP_X=256 COARSEN_FORM=merge: 125184 work-items in groups of 256
//     ...
//     for (int gt__q = 0; gt__q < 8; gt__q++) {
//     ...
//     i[gt__q] = get_global_id(0);
//     if (i[gt__q] >= n)
//     ...
#define GPUTUNE_COARSEN_IMPLEMENTATION
#include "gputune.h"
#include <stdio.h>
#include <stdlib.h>

static const char source[] =
    "__kernel void norm(int n, __global const float *x, __global float *y)\n"
    "{\n"
    "    int i = get_global_id(0);\n"
    "    if (i >= n) return;\n"
    "    y[i] = sqrt(x[2 * i] * x[2 * i] + x[2 * i + 1] * x[2 * i + 1]);\n"
    "}\n";

int main(int argc, char **argv)
{
    const gputune_coarsen_space_desc desc = {
        .source = source, .name = "norm", .global = { 1000000 }, .local = { 128 },
        .space.limits = &(gputune_limits){ .warp_size = 32, .max_group_size = 1024 },
        .coarsen = { .factors = "set 1,4,8", .strides = "set 1,32", .groups = "set 0,64,256" }
    };
    gputune_space *space = gputune_coarsen_space(&desc);
    if (gputune_space_error(space)->result != GPUTUNE_OK)
        return fprintf(stderr, "%s\n", gputune_space_error(space)->text), 1;
    const uint64_t count = gputune_space_count(space);
    const uint64_t chosen = argc > 1 ? strtoull(argv[1], NULL, 10) % count : count - 1;
    for (uint64_t i = 0; i < count; i++) {
        const gputune_config config = gputune_space_at(space, i);
        gputune_geometry launch;
        char text[256];
        gputune_coarsen_geometry(space, &config, &launch);
        printf("%2d  %s: %zu work-items in groups of %zu\n", (int)i,
               gputune_config_text(&config, text, sizeof text), launch.global[0], launch.local[0]);
    }
    const gputune_config config = gputune_space_at(space, chosen);
    const char *text = gputune_coarsen_text(space, &config);
    if (!text) return fprintf(stderr, "%s\n", gputune_space_error(space)->text), 1;
    puts(text);
    gputune_space_destroy(space);
    return 0;
}
