// A driver of the program's own: gputune.h is there without what only drivers need, then with it;
// the implementation is another unit's.
#include "gputune.h"

#ifdef GT__DRIVER_H
#error "gputune.h shows what only drivers need"
#endif
#define GPUTUNE_DRIVER
#include "gputune.h"
#include "gputune.h"

#include <string.h>

#include "use.h"

static void destroy(void *self)
{
    *(int *)self = 1;
}

int main(void)
{
    int destroyed = 0;
    gputune_driver driver;
    gputune_limits limits;
    gputune_device *device;
    memset(&driver, 0, sizeof driver);
    memset(&limits, 0, sizeof limits);
    driver.api = "own";
    driver.destroy = destroy;
    device = gputune_device_create(&driver, &destroyed, &limits, NULL);
    if (!device || gputune_device_self(device, "own") != (void *)&destroyed || destroyed) return 1;
    gputune_device_destroy(device);
    return !destroyed + use_gputune();
}
