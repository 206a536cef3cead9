/* SPDX-License-Identifier: Apache-2.0 */
#include "base/log.h"

#include "base/str.h"

#include <poplar/text.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *const level_names[] = { "OFF", "ERR", "WARN", "INFO", "DEBUG", "TRACE" };
enum { LEVELS = sizeof(level_names) / sizeof(level_names[0]) };

static const char *const module_names[LOG_MODULES] = { "ENGINE",   "GRAPH",    "CODELETS", "PROFILER", "PROGRAM",
                                                       "TARGET",   "TENSOR",   "COMPILER", "POPLIBS",  "POPUTIL",
                                                       "POPOPS",   "POPLIN",   "POPNN",    "POPRAND",  "POPSOLVER",
                                                       "POPFLOAT", "POPSPARSE" };

/* Levels from the environment, read at the first message. A level above all others means "not read yet", so that the
 * test in log_on is one load and compare. */
enum { NOT_READ = LEVELS };
enum { PO, PL, DESTINATIONS };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic int levels[LOG_MODULES] = { NOT_READ, NOT_READ, NOT_READ, NOT_READ, NOT_READ, NOT_READ,
                                           NOT_READ, NOT_READ, NOT_READ, NOT_READ, NOT_READ, NOT_READ,
                                           NOT_READ, NOT_READ, NOT_READ, NOT_READ, NOT_READ };
static FILE *destinations[DESTINATIONS];
_Static_assert(LOG_MODULES == 17, "levels[] starts with one UNREAD for each module");

static bool is_library(enum log_module module)
{
    return module >= LOG_POPLIBS;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool same_word(const char *a, const char *b)
{
    while (*a && pop_text_upper(*a) == pop_text_upper(*b))
        ++a, ++b;
    return *a == *b;
}

/* The level that an environment variable names; fallback when it is unset or unknown (which is reported once). */
static int level_of(const char *name, int fallback)
{
    const char *value = variable(name);
    if (!value)
        return fallback;
    for (int i = 0; i < LEVELS; ++i)
        if (same_word(value, level_names[i]))
            return i;
    fprintf(stderr, "tremula: %s: unknown log level '%s', it can be OFF, ERR, WARN, INFO, DEBUG or TRACE\n", name,
            value);
    return fallback;
}

static FILE *destination_of(const char *name)
{
    const char *value = variable(name);
    if (!value || strcmp(value, "stderr") == 0)
        return stderr;
    if (strcmp(value, "stdout") == 0)
        return stdout;
    FILE *file = fopen(value, "ae");
    if (file)
        return file;
    fprintf(stderr, "tremula: %s: cannot open '%s', logging to standard error instead\n", name, value);
    return stderr;
}

static void close_destinations(void)
{
    for (int i = 0; i < DESTINATIONS; ++i) {
        if (destinations[i] && destinations[i] != stderr && destinations[i] != stdout)
            fclose(destinations[i]);
        destinations[i] = NULL;
    }
}

/* Call with the lock held. */
static void read_environment(void)
{
    close_destinations();
    int general[DESTINATIONS] = {
        [PO] = level_of("POPLAR_LOG_LEVEL", LOG_WARN), [PL] = level_of("POPLIBS_LOG_LEVEL", LOG_WARN)
    };
    for (int m = 0; m < LOG_MODULES; ++m) {
        char name[64];
        int which = is_library((enum log_module)m) ? PL : PO;
        snprintf(name, sizeof(name), "%s_%s_LOG_LEVEL", which == PL ? "POPLIBS" : "POPLAR", module_names[m]);
        int level = m == LOG_POPLIBS ? general[PL] : level_of(name, general[which]);
        atomic_store_explicit(&levels[m], level, memory_order_relaxed);
    }
}

static void ensure_read(void)
{
    pthread_mutex_lock(&lock);
    if (atomic_load_explicit(&levels[LOG_ENGINE], memory_order_relaxed) == NOT_READ)
        read_environment();
    pthread_mutex_unlock(&lock);
}

bool log_on(enum log_module module, enum log_level level)
{
    int limit = atomic_load_explicit(&levels[module], memory_order_relaxed);
    if ((int)level > limit)
        return false;
    if (limit == NOT_READ) {
        ensure_read();
        limit = atomic_load_explicit(&levels[module], memory_order_relaxed);
    }
    return level != LOG_OFF && (int)level <= limit;
}

/* Call with the lock held. Files are opened at the first message, so that a program without messages creates none. */
static FILE *destination(int which)
{
    if (!destinations[which])
        destinations[which] = destination_of(which == PL ? "POPLIBS_LOG_DEST" : "POPLAR_LOG_DEST");
    return destinations[which];
}

/* The time is UTC, so that logs of machines in different time zones can be merged. */
static void add_prefix(struct str *s, enum log_module module, enum log_level level)
{
    struct timespec now;
    struct tm date = { 0 };
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &date);
    str_format(s, "%s:%s %04d-%02d-%02d %02d:%02d:%02d.%03d [%s] ", is_library(module) ? "PL" : "PO",
               module_names[module], date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min,
               date.tm_sec, (int)(now.tv_nsec / 1000000), level_names[level]);
}

void log_write(enum log_module module, enum log_level level, const char *format, ...)
{
    if (!log_on(module, level))
        return;
    struct str text = { 0 }, lines = { 0 };
    va_list arguments;
    va_start(arguments, format);
    str_vformat(&text, format, arguments);
    va_end(arguments);
    /* Every line of a message carries the prefix, so that grep finds all of it. */
    for (const char *line = str_text(&text); line;) {
        const char *end = strchr(line, '\n');
        add_prefix(&lines, module, level);
        str_add_bytes(&lines, line, end ? (size_t)(end - line) : strlen(line));
        str_add(&lines, "\n");
        line = end && end[1] ? end + 1 : NULL;
    }
    pthread_mutex_lock(&lock);
    FILE *to = destination(is_library(module) ? PL : PO);
    fwrite(lines.text, 1, lines.length, to);
    fflush(to);
    pthread_mutex_unlock(&lock);
    str_free(&lines);
    str_free(&text);
}

void log_reset(void)
{
    pthread_mutex_lock(&lock);
    read_environment();
    pthread_mutex_unlock(&lock);
}

double log_milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}
