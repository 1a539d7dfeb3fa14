// The corpus alone, without the other tests and without CUDA: what oclgrind.sh runs.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#define GPUTUNE_IMPLEMENTATION
#include "gputune.h"
#define GPUTUNE_CL_IMPLEMENTATION
#include "gputune_cl.h"

#define CORPUS_ALONE
#define RIG_H // its other half needs CUDA's headers

#include "test.h"

typedef struct rig_driver {
    const char *api;
    void (*table)(void *self, gputune_driver *driver);
} rig_driver;

static void rig_table(void *self, gputune_driver *driver)
{
    gt_cl__table((gt_cl__device *)self, driver);
}

static const rig_driver rig_opencl = { "opencl", rig_table };
static const rig_driver *rig_now;

static gputune_device *rig_device(const char *store)
{
    gputune_cl_desc desc;
    gputune_device *device;
    memset(&desc, 0, sizeof desc);
    desc.options.store = store;
    device = gputune_cl_device_create(&desc);
    if (gputune_device_error(device)->result == GPUTUNE_OK) return device;
    TEST_FAIL("%s", gputune_device_error(device)->text);
    gputune_device_destroy(device);
    return NULL;
}

#include "../test_corpus.c"

int main(void)
{
    rig_now = &rig_opencl;
    test_corpus_device();
    return test_failures > 0;
}
