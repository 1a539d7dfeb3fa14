// A program that draws frames cannot stand still for a tuning. Here each call of gputune_run tunes
// for a hundredth of a second, and then draws with the best configuration that is verified.
//
//     cc -std=c99 -O2 -I. examples/32_frames.c -o frames -lm
//     ./frames
//
// On two processor cores (PoCL, which compiles a part of a kernel in its first launch) it prints:
//     frame   1: 196.8 ms at most, now 1.00 x: BLOCK=8 ROWS=1 (2.08 ms, default 2.08), ...
//     frame  25: 122.4 ms at most, now 1.36 x: BLOCK=32 ROWS=4 (1.52 ms, default 2.08), ...
//     frame  50: 27.7 ms at most, now 1.36 x: BLOCK=32 ROWS=4 (1.52 ms, default 2.08), ...
//     frame  75: 15.8 ms at most, now 1.27 x: BLOCK=64 ROWS=4 (1.71 ms, default 2.17), ...
//     frame 100: 1.6 ms at most, now 1.27 x: BLOCK=64 ROWS=4 (1.71 ms, default 2.17), ...
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include <stdio.h>
#include <stdlib.h>

static const char source[] =
    "#pragma gputune set 8,16,32,64\n"
    "#define BLOCK 8\n"
    "#pragma gputune set 1,2,4\n"
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

enum { WIDTH = 1280, HEIGHT = 720, FRAMES = 150, SHOWN = 25 };

int main(void)
{
    const size_t bytes = sizeof(float) * WIDTH * HEIGHT;
    float *start = (float *)calloc(1, bytes), pixel = 0;
    gputune_device *device = gputune_cl_device(NULL);
    gputune_kernel *kernel = gputune_kernel_create(device, &(gputune_kernel_desc){
        .source = source, .name = "heat", .tune.slice = 0.01 });
    void *plate[2] = { NULL, NULL };
    gputune_result result = start ? GPUTUNE_OK : GPUTUNE_ERROR_MEMORY;
    double longest = 0;
    for (int i = 0; start && i < WIDTH * HEIGHT; i++) start[i] = i % 97 == 0 ? 100.0f : 0.0f;
    for (int i = 0; i < 2; i++) plate[i] = gputune_buffer_create(device, bytes, start);
    for (int frame = 1; frame <= FRAMES && !result; frame++) {
        const double begin = gputune_now();
        const gputune_arg args[] = { gputune_int(WIDTH), gputune_int(HEIGHT),
                                     gputune_in(plate[frame % 2], bytes),
                                     gputune_out(plate[1 - frame % 2], bytes) };
        result = gputune_run(kernel, args, 4);
        // A program would show the plate. Reading a pixel waits for the launch, too.
        if (!result)
            result = gputune_buffer_read(device, plate[1 - frame % 2], 0, &pixel, sizeof pixel);
        if (gputune_now() - begin > longest) longest = gputune_now() - begin;
        if (frame > 1 && frame % SHOWN) continue;
        printf("frame %3d: %.1f ms at most, now %s\n", frame, 1e3 * longest,
               gputune_kernel_outcome(kernel)->text);
        longest = 0;
    }
    if (result) fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text);
    for (int i = 0; i < 2; i++) gputune_buffer_destroy(device, plate[i]);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    free(start);
    return result != GPUTUNE_OK;
}
