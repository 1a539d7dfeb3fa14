// The ordinary case: everything in one file.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "use.h"

int main(void)
{
    return use_gputune();
}
