/* SPDX-License-Identifier: Apache-2.0 */
/* For codelets in C: names in templates, which are files that are included once for each type (each_type.h). */
#ifndef POPLIBS_TYPED_H
#define POPLIBS_TYPED_H

#include "poplibs/vertex_types.h"

#include <poplar/vertex.h>

/* bool is a macro in C11 and would be expanded before it is joined to a name. */
#undef bool
typedef _Bool bool;

#define POPLIBS_JOIN(a, b)  POPLIBS_JOIN_(a, b)
#define POPLIBS_JOIN_(a, b) a##b
/* CALL(macro, T_TAG, x): expands the arguments before macro joins them to names. */
#define CALL(macro, ...) macro(__VA_ARGS__)
#define TEXT_OF(word)    TEXT_OF_(word)
#define TEXT_OF_(word)   #word

/* NAMED(name, A, B) is name_a_b, with up to five words after the name; each is expanded first. */
#define NAMED(...)                                NAMED_COUNT(__VA_ARGS__, 6, 5, 4, 3, 2)(__VA_ARGS__)
#define NAMED_COUNT(a, b, c, d, e, f, count, ...) NAMED_##count
#define NAMED_2(a, b)                             a##_##b
#define NAMED_3(a, b, c)                          a##_##b##_##c
#define NAMED_4(a, b, c, d)                       a##_##b##_##c##_##d
#define NAMED_5(a, b, c, d, e)                    a##_##b##_##c##_##d##_##e
#define NAMED_6(a, b, c, d, e, f)                 a##_##b##_##c##_##d##_##e##_##f

#define TYPED(name)        NAMED(name, T_TAG)
#define PAIRED(name)       NAMED(name, T_TAG, T_2_TAG)
#define COMPUTE_OF(vertex) void POPLIBS_JOIN(vertex, _compute)(vertex * v)
/* Defines a vertex with its fields (the last arguments), and begins its compute function, whose body follows. */
#define VERTEX_OF(KIND, vertex, text, ...)                                                                             \
    KIND(vertex){ __VA_ARGS__ };                                                                                       \
    POP_VERTEX_NAME(vertex, text);                                                                                     \
    COMPUTE_OF(vertex)
#define COMPUTE(name)        COMPUTE_OF(TYPED(name))
#define COMPUTE_PAIRED(name) COMPUTE_OF(PAIRED(name))

#endif
