// gputune.h alone.
#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"

#include "use.h"

int main(void)
{
    return use_gputune();
}
