// Prints a file of OpenCL C as the CUDA C that the compiler gets.
#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

int main(int count, char **arguments)
{
    gt__base b;
    gputune_error error;
    char *text = NULL, *prelude = gt_cuda__prelude(NULL), *out = NULL;
    gputune_result result = GPUTUNE_ERROR_ARGUMENT;
    memset(&b, 0, sizeof b);
    if (count == 2) result = gt__read_file(&b, arguments[1], &text, &error);
    if (result == GPUTUNE_OK)
        result = gt__source_to_cuda(&b, text, NULL, "", prelude, &out, &error);
    if (result == GPUTUNE_OK) fputs(out, stdout);
    gt__arr_free(&b, text);
    gt__arr_free(&b, out);
    gputune_reallocate(NULL, prelude, 0);
    return result != GPUTUNE_OK;
}
