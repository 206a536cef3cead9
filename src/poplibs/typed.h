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

#define TYPED(name)        POPLIBS_JOIN(name##_, T_TAG)
#define PAIRED(name)       POPLIBS_JOIN(POPLIBS_JOIN(name##_, T_TAG), POPLIBS_JOIN(_, T_2_TAG))
#define COMPUTE_OF(vertex) void POPLIBS_JOIN(vertex, _compute)(vertex * v)
/* Defines a vertex with its fields (the last arguments), and begins its compute function, whose body follows. */
#define VERTEX_OF(KIND, vertex, text, ...)                                                                             \
    KIND(vertex){ __VA_ARGS__ };                                                                                       \
    POP_VERTEX_NAME(vertex, text);                                                                                     \
    COMPUTE_OF(vertex)
#define COMPUTE(name)        COMPUTE_OF(TYPED(name))
#define COMPUTE_PAIRED(name) COMPUTE_OF(PAIRED(name))

#endif
