// ... and in the other one.
#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CL_IMPLEMENTATION
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"
#include "gputune_cl.h"

#include "use.h"

int main(void)
{
    return use_gputune();
}
