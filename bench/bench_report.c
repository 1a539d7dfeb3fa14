// The README's picture: a search among 1,024 configurations of a matrix product, each of which
// takes the time that it took on an NVIDIA H200 (bench/results/peer_h200, an exhaustive search of
// commit fe6b59d) with 0.5 % of noise, and what compiling it took there. It needs no GPU.
//
//     sh bench/run.sh report
#define GPUTUNE_IMPLEMENTATION
#include "../gputune.h"

#include <stdio.h>

static const char recorded[] = "bench/results/peer_h200/sgemm.gputune.exhaustive.0.tsv";

enum { N = 2048, ROWS = 1024 };

static struct row {
    char config[256];
    double seconds, compile_seconds;
} rows[ROWS];
static int count;

static bool read_rows(void)
{
    char line[512];
    FILE *file = fopen(recorded, "r");
    if (!file) return false;
    while (count < ROWS && fgets(line, sizeof line, file)) {
        struct row *r = &rows[count];
        count += sscanf(line, "%*f %lf %lf %*f %*f %*f ok %255[^\n]", &r->seconds,
                        &r->compile_seconds, r->config) == 3;
    }
    fclose(file);
    return count == ROWS;
}

static void look_up(void *user, const gputune_config *config, gputune_replay_trial *trial)
{
    char text[256];
    (void)user;
    gputune_config_text(config, text, sizeof text);
    trial->result = GPUTUNE_ERROR_COMPILE;
    for (int i = 0; i < count; i++) {
        if (strcmp(rows[i].config, text) != 0) continue;
        trial->result = GPUTUNE_OK;
        trial->seconds = rows[i].seconds;
        trial->compile_seconds = rows[i].compile_seconds;
    }
}

int main(int argc, char **argv)
{
    static float matrix[N]; // nothing is computed
    const char *page = argc > 1 ? argv[1] : "sgemm.html";
    if (!read_rows()) return fprintf(stderr, "%s is not there, or not whole\n", recorded), 1;
    gputune_device *device = gputune_replay_device_create(&(gputune_replay_desc){
        .options.store = "", .trial = look_up, .noise = 0.005, .seed = 1,
        .limits = { .name = "NVIDIA H200, recorded", .max_group_size = 1024 } });
    gputune_kernel *kernel = gputune_kernel_create(device, &(gputune_kernel_desc){
        .file = "bench/peer/sgemm.cu", .name = "sgemm",
        .tune = { .seed = 1, .budget = { .trials = 60 },
                  .metrics = "TFLOP/s = 2e-12 * M * N * K / time" } });
    const gputune_arg args[] = { gputune_int(N), gputune_int(N), gputune_int(N), gputune_float(1),
                                 gputune_in(matrix, sizeof matrix),
                                 gputune_in(matrix, sizeof matrix), gputune_float(0),
                                 gputune_out(matrix, sizeof matrix) };
    if (gputune_tune(kernel, args, 8) || gputune_kernel_write(kernel, page))
        return fprintf(stderr, "%s\n", gputune_kernel_error(kernel)->text), 1;
    puts(gputune_kernel_outcome(kernel)->text);
    gputune_kernel_destroy(kernel);
    gputune_device_destroy(device);
    return 0;
}
