/* SPDX-License-Identifier: Apache-2.0 */
#include "watch.h"
#include "base/mem.h"

struct watch {
    struct reports *reports;
};

struct watch *watch_begin(struct reports *reports, const char *const *live, size_t count)
{
    struct watch *watch = MEM_NEW(struct watch);
    watch->reports = reports;
    if (count)
        (void)(reports_open(reports, live, count, NULL) == POP_OK);
    return watch;
}

void watch_end(struct watch *watch)
{
    free(watch);
}
