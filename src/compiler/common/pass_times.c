/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/common/pass_times.h"
#include "base/log.h"

#include <poplar/text.h>

#include <sys/resource.h>

enum { LINE = 64, MAX_PASSES = 32 };

struct pass_time pass_time_since(const char *name, double start)
{
    struct rusage usage;
    double kilobytes = getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss : 0;
    return (struct pass_time){ name, log_milliseconds() - start, kilobytes * 1024 / 1e6 };
}

void pass_times_log(const struct pass_time *passes, size_t count)
{
    char text[LINE * (MAX_PASSES + 1)];
    double whole = 0;
    if (!log_on(LOG_COMPILER, LOG_INFO))
        return;
    for (size_t i = 0; i < count; ++i)
        whole += passes[i].milliseconds;
    int length = pop_text_format(text, sizeof(text), "%-10s %10s %7s %12s", "pass", "ms", "share", "peak memory");
    for (size_t i = 0; i < count && i < MAX_PASSES; ++i)
        length += pop_text_format(text + length, sizeof(text) - (size_t)length, "\n%-10s %10.2f %6.1f%% %9.0f MB",
                                  passes[i].name, passes[i].milliseconds,
                                  whole > 0 ? 100 * passes[i].milliseconds / whole : 0, passes[i].peak_megabytes);
    LOG(COMPILER, INFO, "%s", text);
}
