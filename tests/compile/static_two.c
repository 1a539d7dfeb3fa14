// ... and this one.
#define GPUTUNE_STATIC
#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CL_IMPLEMENTATION
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cl.h"
#include "gputune_cuda.h"

#include "use.h"

#ifdef __cplusplus
extern "C"
#endif
int other(void);

int other(void)
{
    return use_gputune();
}
