// Only the declarations: the other unit of a larger program.
#include "gputune.h"
#include "gputune_cl.h"
#include "gputune_cuda.h"

#include "use.h"

int main(void)
{
    return use_gputune();
}
