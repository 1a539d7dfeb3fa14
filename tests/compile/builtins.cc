// The kernels of tests/builtins.h as CUDA C, compiled for the host with CUDA's words defined away,
// against plain C.
#include "../builtins.h"

#include <dlfcn.h>

struct three {
    unsigned x, y, z;
};
static three threadIdx = { 0, 0, 0 };
static const three blockIdx = { 0, 0, 0 }, blockDim = { BUILTINS_ITEMS, 1, 1 },
                   gridDim = { 1, 1, 1 };

#include "stub.h"

static unsigned short stub_half(double a) { return builtins_half(a, 0); }
static float stub_float(unsigned short a) { return builtins_unhalf(a); }

#include PRELUDE

typedef void (*kernel)(void *, void *, void *, void *, void *, void *, void *, void *, void *,
                       void *);

static builtins_data data;

static int run(int group, const builtins_type *t)
{
    char name[64];
    void *b[BUILTINS_BUFFERS];
    size_t bytes;
    snprintf(name, sizeof name, "gputune_kernel_%s_%s", builtins_groups[group], t->name);
    const kernel k = (kernel)dlsym(NULL, name);
    if (!k) return printf("%s is missing\n", name);
    builtins_fill(t, &data);
    for (int i = 0; i < BUILTINS_BUFFERS; i++) b[i] = builtins_buffer(&data, i, &bytes);
    for (threadIdx.x = 0; threadIdx.x < BUILTINS_ITEMS; threadIdx.x++)
        k(b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9]);
    return builtins_check(group, t, "", &data);
}

int main()
{
    int failures = 0;
    for (int group = 0; group < BUILTINS_GROUPS; group++)
        for (int i = 0; i < BUILTINS_TYPES; i++)
            if (builtins_has(group, &builtins_types[i])) failures += run(group, &builtins_types[i]);
    return failures != 0;
}
