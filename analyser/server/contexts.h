/* SPDX-License-Identifier: Apache-2.0 */
/* The debug contexts of a report, read once: who made a program, and on which line of the user's source. */
#ifndef ANALYSER_CONTEXTS_H
#define ANALYSER_CONTEXTS_H

#include "answer.h"

#define NO_CONTEXT UINT32_MAX
enum { DEEPEST_CONTEXT = 256 };

struct context {
    uint64_t id;
    uint32_t index;  /* of PVA_REPORT_DEBUG_CONTEXTS */
    uint32_t parent; /* index of contexts.list; NO_CONTEXT: none */
    uint32_t layer;  /* of contexts.layers */
    uint64_t line;   /* 0: not known */
    char *name, *file;
};
struct contexts {
    struct context *list; /* by id */
    size_t count;
    char **layers; /* names, in the order in which they are met */
    size_t layer_count;
};

/* Empty without debug.cbor. */
void contexts_load(pva_file *report, struct contexts *contexts);
void contexts_free(struct contexts *contexts);
/* Index of a context by id; NO_CONTEXT when there is none. */
uint32_t contexts_find(const struct contexts *contexts, uint64_t id);
/* The outermost context, from one on, of a layer; NO_CONTEXT when none is. */
uint32_t contexts_outermost(const struct contexts *contexts, uint32_t from, uint32_t layer);
/* The user's line: the outermost context, from one on, that has a line. */
uint32_t contexts_line(const struct contexts *contexts, uint32_t from);

#endif
