// The program uses stb_ds itself, with its implementation in the same file.
#define STB_DS_IMPLEMENTATION
#include <stb/stb_ds.h>

#define GPUTUNE_IMPLEMENTATION
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#include "use.h"

int main(void)
{
    int *numbers = NULL, wrong;
    arrput(numbers, 7);
    wrong = arrlen(numbers) != 1 || numbers[0] != 7;
    arrfree(numbers);
    return wrong + use_gputune();
}
