// The driver's header first, its own implementation before the core's.
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include "use.h"

int main(void)
{
    return use_gputune();
}
