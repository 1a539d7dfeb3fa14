// The system's headers come first, so that no feature macro of ours could still have an effect.
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CL_IMPLEMENTATION
#define GPUTUNE_CUDA_IMPLEMENTATION
#include "gputune_cl.h"
#include "gputune_cuda.h"

#include "use.h"

int main(void)
{
    return use_gputune();
}
