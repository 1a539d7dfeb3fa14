// Prints all kernels of tests/builtins.h.
#include "../builtins.h"

int main(void)
{
    for (int group = 0; group < BUILTINS_GROUPS; group++)
        for (int i = 0; i < BUILTINS_TYPES; i++) {
            char *text;
            if (!builtins_has(group, &builtins_types[i])) continue;
            text = builtins_source(group, &builtins_types[i], "");
            fputs(text, stdout);
            free(text);
        }
    return 0;
}
