/* SPDX-License-Identifier: Apache-2.0 */
/* The debug contexts of a report, read once: the call that made a program, and the line in the user's source. */
#ifndef ANALYSER_CONTEXTS_H
#define ANALYSER_CONTEXTS_H

#include "answer.h"

#define NO_CONTEXT UINT32_MAX
enum { DEEPEST_CONTEXT = 256 };

struct context {
    uint64_t id;
    uint32_t index;  /* in PVA_REPORT_DEBUG_CONTEXTS */
    uint32_t parent; /* index into contexts.list; NO_CONTEXT: none */
    uint32_t layer;  /* index into contexts.layers */
    uint64_t line;   /* 0: unknown */
    char *name, *file;
};
struct contexts {
    struct context *list; /* sorted by id */
    size_t count;
    char **layers; /* names in order of first occurrence */
    size_t layer_count;
};

/* The result is empty without debug.cbor. */
void contexts_load(pva_file *report, struct contexts *contexts);
void contexts_free(struct contexts *contexts);
/* The index of the context with an id; NO_CONTEXT when there is none. */
uint32_t contexts_find(const struct contexts *contexts, uint64_t id);
/* The outermost context of a layer among a context and its ancestors; NO_CONTEXT when there is none. */
uint32_t contexts_outermost(const struct contexts *contexts, uint32_t from, uint32_t layer);
/* The user's line: the outermost context, among a context and its ancestors, that has a line. */
uint32_t contexts_line(const struct contexts *contexts, uint32_t from);

#endif
