// The rows of bench_answer.c's searches with seeds 1 to SEEDS, and of its default budget, as
// base_..., of an older gputune: the same kernels, sizes, seeds and seconds. The best is the lower
// of two: best_us_K in the file ANSWER_ROWS, and the program's own, which is base_best_us_K. Built
// by bench/run.sh answer --base FOLDER. -DANSWER_BASE=1: of version 0.1 (50d922f); 2: without
// gputune_budget.all (c88af6a); 3: with it.
//
//     answer_base cuda|opencl|pocl [KERNEL|all [SEEDS [SECONDS]]]
#define _GNU_SOURCE
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include <stdio.h>
#include <stdlib.h>

#include "answer.h"

int main(int argc, char **argv)
{
    const char *kernel = argc > 2 ? argv[2] : "all";
    const int seeds = argc > 3 ? atoi(argv[3]) : 3;
    const double seconds = argc > 4 ? atof(argv[4]) : 10;
    if (argc < 2 || seeds < 1 || seeds > ANSWER_SEEDS || !(seconds > 0)) {
        fprintf(stderr, "usage: answer_base cuda|opencl|pocl [KERNEL|all [SEEDS [SECONDS]]]\n");
        return 2;
    }
    setenv("POCL_KERNEL_CACHE", "0", 0); // as in bench_answer.c
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    answer_kernels(answer_kernel, argv[1], strcmp(kernel, "all") ? kernel : "", seeds, seconds);
    return 0;
}
