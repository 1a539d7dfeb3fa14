// A program that runs for long needs no tuning phase: the pool tries one more configuration of a
// kernel now and then, on a part of the program's own work, and what that costs stays under a
// ceiling. Here heat spreads in a plate, some thousand steps of it.
//
//     cc -std=c99 -O2 -I. examples/17_online.c -o online -lm
//     ./online
//
// On two processor cores (PoCL) it prints:
//     step  500: 5.07 ms a step, now with BLOCK=64 ROWS=1
//     step 1000: 1.30 ms a step, now with BLOCK=64 ROWS=1
//         (and so on)
//     step 3000: 0.69 ms a step, now with BLOCK=64 ROWS=1
//     stored: the next run begins with BLOCK=64 ROWS=1
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include <stdio.h>
#include <stdlib.h>

static const char source[] =
    "#pragma gputune set 8,64\n"
    "#define BLOCK 8\n"
    "#pragma gputune set 1,4\n"
    "#define ROWS 1 // that a work-item does\n"
    "#pragma gputune global width, ceil_div(height, ROWS)\n"
    "#pragma gputune local BLOCK, 1\n"
    "__kernel void heat(int width, int height, __global const float *from, __global float *to)\n"
    "{\n"
    "    const int x = get_global_id(0), first = get_global_id(1) * ROWS;\n"
    "    if (x >= width) return;\n"
    "    for (int y = first; y < first + ROWS; y++) {\n"
    "        const int i = y * width + x;\n"
    "        if (y >= height) return;\n"
    "        to[i] = from[i];\n"
    "        if (x > 0 && y > 0 && x < width - 1 && y < height - 1)\n"
    "            to[i] = 0.2f * (from[i] + from[i - 1] + from[i + 1] + from[i - width] +\n"
    "                            from[i + width]);\n"
    "    }\n"
    "}\n";

enum { WIDTH = 2000, HEIGHT = 1500, STEPS = 3000, SHOWN = 500 };

static gputune_pool *make_pool(gputune_device *device)
{
    static const char *const configs[] = { "BLOCK=8 ROWS=1", "BLOCK=8 ROWS=4", "BLOCK=64 ROWS=1",
                                           "BLOCK=64 ROWS=4" };
    gputune_kernel_desc kernels[5] = { { 0 } };
    gputune_pool_desc desc = { .name = "heat", .kernels = kernels, .units = "width, height" };
    for (int i = 0; i < 4; i++) {
        kernels[i] = (gputune_kernel_desc){ .source = source, .name = "heat" };
        kernels[i].title = kernels[i].config = configs[i];
        kernels[i].group_units = "BLOCK, ROWS";
    }
    desc.when = GPUTUNE_PROFILE_ONLINE;
    desc.ceiling = 0.5; // this run is short; the default is 0.05
    return gputune_pool_create(device, &desc);
}

// One step from a to b, and what a solver reads of it: then it is done when this returns.
static bool step(gputune_pool *pool, gputune_device *device, void *a, void *b)
{
    const size_t bytes = (size_t)WIDTH * HEIGHT * sizeof(float);
    const gputune_arg args[] = { gputune_int(WIDTH), gputune_int(HEIGHT), gputune_in(a, bytes),
                                 gputune_out(b, bytes) };
    float corner;
    if (gputune_pool_run(pool, args, 4) == GPUTUNE_OK)
        return gputune_buffer_read(device, b, 0, &corner, sizeof corner) == GPUTUNE_OK;
    fprintf(stderr, "%s\n", gputune_pool_error(pool)->text);
    return false;
}

int main(void)
{
    const size_t bytes = (size_t)WIDTH * HEIGHT * sizeof(float);
    float *plate = (float *)malloc(bytes);
    for (int i = 0; i < WIDTH * HEIGHT && plate; i++) plate[i] = i < WIDTH ? 100 : 20; // a hot edge
    gputune_device *device = gputune_cl_device(NULL);
    void *a = gputune_buffer_create(device, bytes, plate);
    void *b = gputune_buffer_create(device, bytes, plate);
    gputune_pool *pool = make_pool(device);

    double begin = gputune_now();
    const gputune_pool_report *o = gputune_pool_outcome(pool);
    bool ok = true;
    for (int i = 0; i < STEPS && ok; i++) {
        ok = step(pool, device, i % 2 ? b : a, i % 2 ? a : b);
        if (!ok || (i + 1) % SHOWN) continue;
        printf("step %4d: %.2f ms a step, now with %s\n", i + 1,
               1e3 * (gputune_now() - begin) / SHOWN, o->variants[o->winner].name);
        begin = gputune_now();
    }
    gputune_pool_destroy(pool);
    pool = make_pool(device); // as another run of the program would
    ok = ok && step(pool, device, a, b);
    o = gputune_pool_outcome(pool);
    if (ok && o->origin == GPUTUNE_FROM_STORE)
        printf("stored: the next run begins with %s\n", o->variants[o->winner].name);
    else
        puts(ok ? "not settled yet: the next run goes on" : "it has failed");
    gputune_pool_destroy(pool);
    gputune_buffer_destroy(device, a);
    gputune_buffer_destroy(device, b);
    gputune_device_destroy(device);
    free(plate);
    return !ok;
}
