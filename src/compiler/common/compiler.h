/* SPDX-License-Identifier: Apache-2.0 */
/* State shared by the passes: the graph that they read, the image that they build, errors and memory. */
#ifndef COMPILER_COMMON_COMPILER_H
#define COMPILER_COMMON_COMPILER_H

#include "base/engine_options.h"
#include "compiler/common/bits.h"
#include "compiler/common/moves.h"
#include "compiler/common/results.h"
#include "graph/store/store.h"
#include "image/image.h"
#include "program/node.h"

/* The public call that errors of compiling belong to. */
#define COMPILE_API "pop_compile_graph"
/* Readable padding bytes after each variable and gather buffer, and the alignment of both. */
enum { STORAGE_PADDING = 64, STORAGE_ALIGNMENT = 64 };

/* Inputs common to all passes, and outputs that all of them extend. */
struct compiler {
    pop_store *store;
    const pop_program *programs;
    size_t program_count;
    const struct engine_options *options;
    bool modelled; /* the target has a model of cycles: all but the CPU */
    bool placed;   /* the image keeps where blocks are */
    pop_error *error;
    struct image *image;      /* the executable that is being made */
    struct moves moves;       /* of its copies */
    struct arena arena;       /* results of passes */
    struct arena model;       /* those from exchange on, which no pass after place reads */
    struct bitmaps bits;      /* for hazard and exchange: all 0 between passes */
    struct thread_pool *pool; /* NULL: one thread.  The image does not depend on how many there are */
    /* strings of the image */
    struct intern strings;
    VEC(uint32_t) string_at;
};

/* Records the error with a line of the user's and the debug path (NULL: none); returns false. */
bool compiler_fail(struct compiler *c, pop_status status, uint32_t where, const char *path, const char *format, ...)
    POP_PRINTF(5, 6);
/* Records the error of a vertex with its line and its compute set's name. */
bool compiler_fail_vertex(struct compiler *c, pop_status status, uint32_t vertex, const char *format, ...)
    POP_PRINTF(4, 5);
/* A string of the image; equal text, equal string; "" and NULL are 0. */
uint32_t compiler_string(struct compiler *c, const char *text);
/* The number of threads of a pass each of which needs memory for all variables: those of the pool, but 16 at most. */
unsigned compiler_threads(const struct compiler *c);

static inline const struct codelet *vertex_codelet(const struct compiler *c, const struct vertex *vertex)
{
    return c->store->types.data[vertex->type].codelet;
}
static inline const char *variable_name(const struct compiler *c, uint32_t variable)
{
    return store_name(c->store, c->store->variables.data[variable].name);
}
static inline size_t variable_element_bytes(const struct compiler *c, uint32_t variable)
{
    return pop_type_size((pop_type)c->store->variables.data[variable].type);
}
static inline uint64_t align_up(uint64_t value, uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

#endif
