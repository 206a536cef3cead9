/* SPDX-License-Identifier: Apache-2.0 */
/* Logging of a library. Each public function begins with a line that makes its call (call.h) and logs its arguments:
 *
 *     POPLIBS_CALL_IN(sequence, graph, in, log_type(out_type), dims, name, options);
 *
 * It begins the scope of `call`, whose name and options are the arguments of these names; without a sequence,
 * POPLIBS_CALL(graph, ...). The parameter `where` has the user's line; the text of an argument follows from its C type,
 * except that enumerations need a wrapper: log_type for pop_type, log_name for others. The graph records the call too,
 * for debug.cbor. */
#ifndef POPLIBS_LOG_H
#define POPLIBS_LOG_H

#include "poplibs/call.h"

#include <assert.h>
#include <poplar/log.h>

#ifndef POPLIBS_LIBRARY /* set by the build: POP_LOG_POPOPS and so on */
#define POPLIBS_LIBRARY POP_LOG_POPLIBS
#endif

#define POPLIBS_LOG(level, ...)                                                                                        \
    do {                                                                                                               \
        if (pop_log_on(POPLIBS_LIBRARY, POP_LOG_##level))                                                              \
            pop_log_write(POPLIBS_LIBRARY, POP_LOG_##level, __VA_ARGS__);                                              \
    } while (0)

/* ---- arguments by type ---- */

#define POPLIBS_ARGUMENT(function, type, kind_, member)                                                                \
    static inline pop_log_argument poplibs_log_##function(const char *name, type value)                                \
    {                                                                                                                  \
        return (pop_log_argument){ .name = name, .kind = kind_, .as.member = value };                                  \
    }
POPLIBS_ARGUMENT(tensor, pop_tensor, POP_LOG_TENSOR, tensor)
POPLIBS_ARGUMENT(tensors, pop_tensors, POP_LOG_TENSORS, tensors)
POPLIBS_ARGUMENT(shape, pop_shape, POP_LOG_SHAPE, shape)
POPLIBS_ARGUMENT(dims, pop_dims, POP_LOG_DIMS, dims)
POPLIBS_ARGUMENT(options, pop_options, POP_LOG_OPTIONS, options)
POPLIBS_ARGUMENT(text, const char *, POP_LOG_TEXT, text)
POPLIBS_ARGUMENT(flag, bool, POP_LOG_BOOL, flag)
POPLIBS_ARGUMENT(integer, int64_t, POP_LOG_INTEGER, integer)
POPLIBS_ARGUMENT(natural, uint64_t, POP_LOG_UNSIGNED, natural)
POPLIBS_ARGUMENT(number, double, POP_LOG_NUMBER, number)
#undef POPLIBS_ARGUMENT
static inline pop_log_argument poplibs_log_made(const char *name, pop_log_argument made)
{
    made.name = name;
    return made;
}
#define POPLIBS_LOGGED(x)                                                                                              \
    _Generic((x), pop_log_argument: poplibs_log_made, pop_tensor: poplibs_log_tensor,                                  \
             pop_tensors: poplibs_log_tensors, pop_shape: poplibs_log_shape, pop_dims: poplibs_log_dims,               \
             pop_options: poplibs_log_options, const char *: poplibs_log_text, bool: poplibs_log_flag,                 \
             int: poplibs_log_integer, long: poplibs_log_integer, unsigned: poplibs_log_natural,                       \
             size_t: poplibs_log_natural, float: poplibs_log_number, double: poplibs_log_number)(#x, x)

/* Enumerations are integers to the compiler: wrappers for a pop_type, and for a name of a value of another
 * enumeration. */
static inline pop_log_argument log_type(pop_type type)
{
    return (pop_log_argument){ .kind = POP_LOG_TYPE, .as.type = type };
}
static inline pop_log_argument log_name(const char *text)
{
    return (pop_log_argument){ .kind = POP_LOG_TEXT, .as.text = text };
}
/* A tensor that may be NULL. */
static inline pop_log_argument log_tensor(const pop_tensor *t)
{
    return t ? poplibs_log_tensor(NULL, *t) : (pop_log_argument){ .kind = POP_LOG_NONE };
}
/* For a call without arguments worth logging. */
static inline pop_log_argument log_none(void)
{
    return (pop_log_argument){ .kind = POP_LOG_NONE };
}
/* An argument that the library formats itself, like snprintf; nothing for NULL. */
static inline pop_log_argument log_written(const void *value, size_t (*write)(char *, size_t, const void *))
{
    return (pop_log_argument){ .kind = POP_LOG_WRITTEN, .as.written = { write, value } };
}

/* ---- a call ---- */

#define POPLIBS_LOG_1(a)       POPLIBS_LOGGED(a)
#define POPLIBS_LOG_2(a, ...)  POPLIBS_LOGGED(a), POPLIBS_LOG_1(__VA_ARGS__)
#define POPLIBS_LOG_3(a, ...)  POPLIBS_LOGGED(a), POPLIBS_LOG_2(__VA_ARGS__)
#define POPLIBS_LOG_4(a, ...)  POPLIBS_LOGGED(a), POPLIBS_LOG_3(__VA_ARGS__)
#define POPLIBS_LOG_5(a, ...)  POPLIBS_LOGGED(a), POPLIBS_LOG_4(__VA_ARGS__)
#define POPLIBS_LOG_6(a, ...)  POPLIBS_LOGGED(a), POPLIBS_LOG_5(__VA_ARGS__)
#define POPLIBS_LOG_7(a, ...)  POPLIBS_LOGGED(a), POPLIBS_LOG_6(__VA_ARGS__)
#define POPLIBS_LOG_8(a, ...)  POPLIBS_LOGGED(a), POPLIBS_LOG_7(__VA_ARGS__)
#define POPLIBS_LOG_9(a, ...)  POPLIBS_LOGGED(a), POPLIBS_LOG_8(__VA_ARGS__)
#define POPLIBS_LOG_10(a, ...) POPLIBS_LOGGED(a), POPLIBS_LOG_9(__VA_ARGS__)
#define POPLIBS_LOG_11(a, ...) POPLIBS_LOGGED(a), POPLIBS_LOG_10(__VA_ARGS__)
#define POPLIBS_LOG_12(a, ...) POPLIBS_LOGGED(a), POPLIBS_LOG_11(__VA_ARGS__)

#define POPLIBS_LOG_PICK(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, macro, ...) macro
#define POPLIBS_LOG_EACH(...)                                                                                          \
    POPLIBS_LOG_PICK(__VA_ARGS__, POPLIBS_LOG_12, POPLIBS_LOG_11, POPLIBS_LOG_10, POPLIBS_LOG_9, POPLIBS_LOG_8,        \
                     POPLIBS_LOG_7, POPLIBS_LOG_6, POPLIBS_LOG_5, POPLIBS_LOG_4, POPLIBS_LOG_3, POPLIBS_LOG_2,         \
                     POPLIBS_LOG_1, )                                                                                  \
    (__VA_ARGS__)

#define POPLIBS_CALL(graph, ...)              POPLIBS_CALL_AS(NULL, (pop_program){ 0 }, graph, __VA_ARGS__)
#define POPLIBS_CALL_IN(sequence, graph, ...) POPLIBS_CALL_AS(NULL, sequence, graph, __VA_ARGS__)
/* Begins the call of a function that errors call by another name; NULL: its own. graph: NULL for none. */
#define POPLIBS_CALL_AS(name, sequence, graph, ...)                                                                    \
    const pop_log_argument poplibs_arguments[] = { POPLIBS_LOG_EACH(__VA_ARGS__) };                                    \
    const struct call_function poplibs_function = { POPLIBS_LIBRARY, __func__, (char[sizeof(__func__)]){ 0 }, name };  \
    __attribute__((cleanup(call_end))) const struct call poplibs_call =                                                \
        call_begin(&poplibs_function, graph, where, sequence, poplibs_arguments, sizeof(poplibs_arguments));           \
    const struct call *const call = &poplibs_call;                                                                     \
    (void)call;                                                                                                        \
    static_assert(true, "a semicolon follows")

#endif
