/* SPDX-License-Identifier: Apache-2.0 */
/* Logging as the Poplar user guide defines it: levels OFF ERR WARN INFO DEBUG TRACE from POPLAR_LOG_LEVEL (or
 * POPLAR_<MODULE>_LOG_LEVEL), destination POPLAR_LOG_DEST, prefix PO; POPLIBS_LOG_LEVEL, POPLIBS_<LIBRARY>_LOG_LEVEL,
 * POPLIBS_LOG_DEST and PL for the libraries. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include <poplar/visibility.h>

/* As pop_log_level of <poplar/log.h>, and the libraries as pop_log_library. */
enum log_level { LOG_OFF, LOG_ERR, LOG_WARN, LOG_INFO, LOG_DEBUG, LOG_TRACE };
enum log_module {
    LOG_ENGINE,
    LOG_GRAPH,
    LOG_CODELETS,
    LOG_PROFILER,
    LOG_PROGRAM,
    LOG_TARGET,
    LOG_TENSOR,
    LOG_COMPILER,
    LOG_POPLIBS, /* libraries without a module of their own; modules from here on are libraries */
    LOG_POPUTIL,
    LOG_POPOPS,
    LOG_POPLIN,
    LOG_POPNN,
    LOG_POPRAND,
    LOG_POPSOLVER,
    LOG_POPFLOAT,
    LOG_POPSPARSE,
    LOG_MODULES
};

bool log_on(enum log_module module, enum log_level level); /* cheap: one load and compare once initialised */
void log_write(enum log_module module, enum log_level level, const char *format, ...) POP_PRINTF(3, 4);
/* Monotonic time for durations in messages. */
double log_milliseconds(void);
/* Reads the environment again (tests). */
void log_reset(void);

#define LOG(module, level, ...)                                                                                        \
    do {                                                                                                               \
        if (log_on(LOG_##module, LOG_##level))                                                                         \
            log_write(LOG_##module, LOG_##level, __VA_ARGS__);                                                         \
    } while (0)

#endif
