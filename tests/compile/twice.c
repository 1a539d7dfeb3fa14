// Includes repeated, before and after the implementation.
#include "gputune.h"
#include "gputune_cl.h"
#include "gputune_cuda.h"
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cuda.h"
#include "gputune.h"
#include "gputune_cl.h"
#include "gputune_cuda.h"

#include "use.h"

int main(void)
{
    return use_gputune();
}
