#include <windows.h>
#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CL_IMPLEMENTATION
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cl.h"
#include "gputune_cuda.h"
#include "use.h"
int main(void) { return use_gputune(); }
