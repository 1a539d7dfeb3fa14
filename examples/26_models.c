// How long would a matrix product in tiles take on an H200, and what would hold it up? Two models
// answer from numbers alone: MWP-CWP (Hong, Kim 2009: how many warps' loads overlap) and the
// quantitative model (Zhang, Owens 2011: the busiest of arithmetic, local and global memory).
// Neither knows of caches: once all loads come from memory here, once all from the last cache. What
// the second names, local memory's bandwidth, is none of the first's numbers; and a barrier costs
// there what one warp's delay is times all others, which with 64 warps exceeds all else.
//
//     cc -std=c99 -O2 -I. examples/26_models.c -o models -lm
//
// It prints:
//     loads from memory:
//       tiles of 16: MWP-CWP  26.7 ms, barriers; 10.6 of them without barriers
//              quantitative  11.3 ms, local memory; without that still 8.9
//       tiles of 32: MWP-CWP   7.6 ms, arithmetic; 5.5 of them without barriers
//              quantitative  10.8 ms, local memory; without that still 5.5
//     loads from the last cache:
//       tiles of 16: MWP-CWP  22.6 ms, barriers; 6.4 of them without barriers
//              quantitative  11.3 ms, local memory; without that still 6.4
//       tiles of 32: MWP-CWP   7.6 ms, arithmetic; 5.5 of them without barriers
//              quantitative  10.8 ms, local memory; without that still 5.5
#define GPUTUNE_MODEL_IMPLEMENTATION
#include "gputune.h"
#include "bench/models.h"

static const double n = 4096;                    // rows and columns; a thread computes one number
static const double hertz = 1.98e9, units = 132; // public figures of the device, not measured here

static void predict(int tile, double latency, double bandwidth)
{
    const double one = 1, four = 4, tiles = n / tile; // warps' accesses, instructions a cycle
    const double bytes = bandwidth / (units * hertz); // a cycle
    const double groups = tiles * tiles;
    const double active = gputune_occupancy_of(90, tile * tile, 32, 8 * tile * tile).active_groups;
    // What a warp does, by the machine code: of A's tile it reads four numbers at once.
    const double barriers = 2 * tiles, global = 2 * tiles + 1, local = 1.25 * n + 2 * tiles;
    const double others = n + local + barriers + 8 * tiles; // n multiplications with additions
    const mwp_cwp_in hong = { hertz / 1e9, bandwidth / 1e9, latency, 2, 0, 0.25, units, others,
                              global, 0, 0, barriers, 128, (double)tile * tile, groups, active,
                              true };
    const mwp_cwp_out h = mwp_cwp(&hong);
    const zhang_owens_phase all = { { others + global, 0, 0, 0 }, local, 128 * global };
    const models_table none = { NULL, NULL, 0 };
    const zhang_owens_in zhang = { hertz, units, groups, tile * tile / 32.0, active,
                                   { { &one, &four, 1 }, none, none, none }, { &one, &one, 1 },
                                   { &one, &bytes, 1 }, &all, 1 };
    const zhang_owens_out z = zhang_owens(&zhang);
    printf("  tiles of %d: MWP-CWP %5.1f ms, %s; %.1f of them without barriers\n", tile,
           1e3 * h.prediction.seconds, h.prediction.bound, 1e3 * h.execution / hertz);
    printf("         quantitative %5.1f ms, %s; without that still %.1f\n",
           1e3 * z.prediction.seconds, z.prediction.bound, 1e3 * z.second);
}

int main(void)
{
    puts("loads from memory:");
    for (int tile = 16; tile <= 32; tile *= 2) predict(tile, 650, 3.888e12);
    puts("loads from the last cache:");
    for (int tile = 16; tile <= 32; tile *= 2) predict(tile, 265, 9.7e12);
    return 0;
}
