// The implementations and nothing else: a unit of a larger program, and the object whose symbols
// are looked at.
#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CL_IMPLEMENTATION
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune.h"
#include "gputune_cl.h"
#include "gputune_cuda.h"
