/* SPDX-License-Identifier: Apache-2.0 */
/* Logging of the operation libraries, with the prefix PL and their own environment variables (docs/concepts/errors.md).
 *
 * A public call of a library logs itself at INFO with its arguments; calls that it makes of other public functions are
 * logged below it at DEBUG. */
#ifndef POPLAR_LOG_H
#define POPLAR_LOG_H

#include <poplar/options.h>
#include <poplar/tensor.h>

/* A graph (graph.h). */
typedef struct pop_graph pop_graph;

/* Levels of messages: a level includes those before it. */
typedef enum pop_log_level {
    POP_LOG_OFF,
    POP_LOG_ERR,
    POP_LOG_WARN,
    POP_LOG_INFO,
    POP_LOG_DEBUG,
    POP_LOG_TRACE
} pop_log_level;

/* POPLIBS is for code that belongs to none of the others. */
typedef enum pop_log_library {
    POP_LOG_POPLIBS,
    POP_LOG_POPUTIL,
    POP_LOG_POPOPS,
    POP_LOG_POPLIN,
    POP_LOG_POPNN,
    POP_LOG_POPRAND,
    POP_LOG_POPSOLVER,
    POP_LOG_POPFLOAT,
    POP_LOG_POPSPARSE
} pop_log_library;

/* Kinds of arguments, by the member of pop_log_argument that holds the value. */
typedef enum pop_log_kind {
    POP_LOG_NONE, /* an argument without a text: not printed */
    POP_LOG_TENSOR,
    POP_LOG_TENSORS,
    POP_LOG_TYPE,
    POP_LOG_SHAPE,
    POP_LOG_DIMS,
    POP_LOG_OPTIONS,
    POP_LOG_TEXT,
    POP_LOG_BOOL,
    POP_LOG_INTEGER,
    POP_LOG_UNSIGNED,
    POP_LOG_NUMBER,
    POP_LOG_WRITTEN,
    POP_LOG_KINDS
} pop_log_kind;

/* An argument of a call. The name is the argument's expression; of f(x) only x is printed. */
typedef struct pop_log_argument {
    const char *name;  /* the argument's expression in the source */
    pop_log_kind kind; /* which member of `as` is valid */
    union {
        pop_tensor tensor;
        pop_tensors tensors;
        pop_type type;
        pop_shape shape;
        pop_dims dims;
        pop_options options;
        const char *text;
        bool flag;
        int64_t integer;
        uint64_t natural;
        double number;
        struct {
            size_t (*write)(char *buffer, size_t size, const void *value); /* as snprintf */
            const void *value;
        } written;
    } as; /* the argument's value */
} pop_log_argument;

POP_BEGIN_DECLS

/* Whether a message of this level would be written: one load and compare once the environment has been read. */
POP_API bool pop_log_on(pop_log_library library, pop_log_level level);
/* Writes a message, formatted as by printf, if its level is on. */
POP_API void pop_log_write(pop_log_library library, pop_log_level level, const char *format, ...) POP_PRINTF(3, 4);
/* Writes a message unless the process has written this text before. */
POP_API void pop_log_once(pop_log_library library, pop_log_level level, const char *format, ...) POP_PRINTF(3, 4);
/* Logs a public call, records it in the graph (pop_debug_call) and begins its scope: public calls on this thread until
 * pop_log_leave are nested in it. function is __func__; the suffix _at is removed. Returns where with the call's debug
 * context, to pass to everything that the call builds. */
POP_API pop_where pop_log_enter(pop_log_library library, pop_graph *graph, pop_where where, const char *function,
                                const pop_log_argument *arguments, size_t count);
POP_API void pop_log_leave(void); /* Ends the scope that the last pop_log_enter of this thread began. */

POP_END_DECLS
#endif
