// Both implementations asked for, only the driver's header included.
#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "use.h"

int main(void)
{
    return use_gputune();
}
