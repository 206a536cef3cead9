/* SPDX-License-Identifier: Apache-2.0 */
/* Options: pairs of strings, as Poplar's OptionFlags.  One table has every option of every call
 * (docs/reference/options.md is generated from it); an unknown key is an invalid_option error that names the nearest
 * known one. */
#ifndef POPLAR_OPTIONS_H
#define POPLAR_OPTIONS_H

#include <poplar/visibility.h>

/* An option: its name and its value as text. */
typedef struct pop_option {
    const char *key;   /* name */
    const char *value; /* value */
} pop_option;

/* A list of options, borrowed for the call.  {0} is empty; the last of two equal keys takes effect. */
typedef struct pop_options {
    const pop_option *list; /* the options */
    size_t count;           /* their number */
} pop_options;

/* POP_OPTIONS({"debug.instrument", "true"}, {"opt.maxCompilationThreads", "2"}): only as an argument or initialiser. */
#define POP_OPTIONS(...)                                                                                               \
    ((pop_options){ (const pop_option[]){ __VA_ARGS__ },                                                               \
                    sizeof((const pop_option[]){ __VA_ARGS__ }) / sizeof(pop_option) })
/* No options. */
#define POP_NO_OPTIONS ((pop_options){ 0, 0 })

POP_BEGIN_DECLS

/* One row of the table of options. */
typedef struct pop_option_info {
    const char *group;    /* "engine", "target", "stream", "print", "report", "runtime" */
    const char *key;      /* name */
    const char *values;   /* "true|false", "integer", "text", "a|b|c" */
    const char *standard; /* default value */
    const char *effect;   /* what it does; NULL: accepted without effect; "": for hardware only, no effect here */
} pop_option_info;

/* All rows; *count receives their number.  Static storage. */
POP_API const pop_option_info *pop_option_table(size_t *count);

POP_END_DECLS
#endif
