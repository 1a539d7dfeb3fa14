// The program uses stb_ds itself, in another unit than gputune's implementation: here.
#define STB_DS_IMPLEMENTATION
#include <stb/stb_ds.h>

#include "gputune.h"

#include "use.h"

int main(void)
{
    int *numbers = NULL, wrong;
    arrput(numbers, 7);
    wrong = arrlen(numbers) != 1 || numbers[0] != 7;
    arrfree(numbers);
    return wrong + use_gputune();
}
