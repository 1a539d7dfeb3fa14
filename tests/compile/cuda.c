// The CUDA driver alone.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"

#include "use.h"

int main(void)
{
    return use_gputune();
}
