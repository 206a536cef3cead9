/* SPDX-License-Identifier: Apache-2.0 */
/* The header of C codelets (docs/concepts/codelets.md).
 *
 *     POP_VERTEX(SumVertex) {
 *         POP_INPUT(POP_VECTOR(float)) in;
 *         POP_OUTPUT(float) out;
 *     };
 *
 *     bool SumVertex_compute(SumVertex *v)
 *     {
 *         float sum = 0;
 *         for (size_t i = 0; i < v->in.size; ++i)
 *             sum += v->in.data[i];
 *         *v->out = sum;
 *         return true;
 *     }
 *
 * A vertex is a struct; popc reads its members from the compiled object's debug information, so nothing is declared
 * twice.  Properties that C types do not express (direction, layout, alignment) are encoded in a zero-size member
 * before each field. */
#ifndef POPLAR_VERTEX_H
#define POPLAR_VERTEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- kinds of vertex: Name_compute(Name *v) returns bool or void ---- */

/* Runs in one worker. */
#define POP_VERTEX(name) POPI_VERTEX(pop_worker_vertex__, name)
/* Runs alone on its tile. */
#define POP_SUPERVISOR_VERTEX(name) POPI_VERTEX(pop_supervisor_vertex__, name)
/* Runs in all workers: Name_compute(Name *v, unsigned worker) is called with worker 0 to POP_NUM_WORKERS - 1, in any
 * order. */
#define POP_MULTI_VERTEX(name) POPI_VERTEX(pop_multi_vertex__, name)
#define POP_NUM_WORKERS        6u

/* ---- fields ----
 * T is bool, a char, short, int or long long, signed or unsigned, float or half.
 *   POP_INPUT(T) x;                                  *v->x
 *   POP_INPUT(POP_VECTOR(T)) x;                      v->x.data[i], v->x.size
 *   POP_INPUT(POP_VECTORS(T)) x;                     v->x.data[i].data[j], v->x.data[i].size, v->x.size
 *   POP_INPUT(POP_VECTOR_LIST(T, COMPACT_DELTAN)) x; the same
 *   POP_INPUT(POP_SCALARS(T)) x;                     *v->x.data[i], v->x.size
 *   POP_STATE(T) x; or T x;                          v->x
 *   POP_STATE(POP_VECTOR(T)) x;                      v->x.data[i], v->x.size
 *   POP_STATE(POP_VECTORS(T)) x;                     v->x.data[i].data[j], ... */
#define POP_INPUT(...)  POPI_EDGE(1, const, __VA_ARGS__) /* read only */
#define POP_OUTPUT(...) POPI_EDGE(2, , __VA_ARGS__)      /* written, not read */
#define POP_INOUT(...)  POPI_EDGE(3, , __VA_ARGS__)      /* read and written */
#define POP_STATE(...)  POPI_CAT(POPI_STATE_, POPI_COUNT(__VA_ARGS__))(__VA_ARGS__)

/* POP_VECTOR(T, LAYOUT = SPAN, MIN_ALIGN = natural, INTERLEAVED = false).
 * LAYOUT is SPAN, SHORT_SPAN, ONE_PTR, SCALED_PTR32, SCALED_PTR64, SCALED_PTR128 or COMPACT_PTR; only the first two
 * have a size. */
#define POP_VECTOR(...) POPI_CAT(POPI_VECTOR_, POPI_COUNT(__VA_ARGS__))(__VA_ARGS__)
/* POP_VECTORS(T, LAYOUT = SPAN, INNER_LAYOUT = SPAN, MIN_ALIGN = natural, INTERLEAVED = false): Vector<Input<Vector<T,
 * INNER_LAYOUT, MIN_ALIGN, INTERLEAVED>>, LAYOUT>. */
#define POP_VECTORS(...) POPI_CAT(POPI_VECTORS_, POPI_COUNT(__VA_ARGS__))(__VA_ARGS__)
/* POP_VECTOR_LIST(T, LIST_LAYOUT = COMPACT_DELTAN, MIN_ALIGN = natural, INTERLEAVED = false); DELTAN, DELTANELEMENTS or
 * COMPACT_DELTAN. */
#define POP_VECTOR_LIST(...) POPI_CAT(POPI_LIST_, POPI_COUNT(__VA_ARGS__))(__VA_ARGS__)
/* POP_SCALARS(T, LAYOUT = SPAN): Vector<Input<T>, LAYOUT>, a vector of edges to single elements. */
#define POP_SCALARS(...) POPI_CAT(POPI_SCALARS_, POPI_COUNT(__VA_ARGS__))(__VA_ARGS__)

/* At file scope, after the vertex: POP_CONSTRAINT(Name, "elem(*a) != elem(*b)");
 * and POP_VERTEX_NAME(Name, "popops::Sum<float>"): the name of the vertex type in programs, when it is not a C
 * identifier. */
#ifdef __POPC__
#define POP_CONSTRAINT(vertex, text)  POPI_PAIR(constraint, vertex, text)
#define POP_VERTEX_NAME(vertex, text) POPI_PAIR(name, vertex, text)
#else
#define POP_CONSTRAINT(vertex, text)  struct vertex
#define POP_VERTEX_NAME(vertex, text) struct vertex
#endif

#ifndef __cplusplus
#if defined(__FLT16_MANT_DIG__)
__extension__ typedef _Float16 half;
#elif defined(__clang__)
typedef __fp16 half; /* for editors that parse codelets with a clang without _Float16 */
#endif
#endif

/* ---- implementation; names that begin with POPI_ are internal ---- */

#define POPI_VERTEX(mark, name)                                                                                        \
    typedef struct name name;                                                                                          \
    typedef struct name POPI_CAT(mark, name);                                                                          \
    struct name

/* A pair of strings in the section pop_constraints or pop_names. */
#define POPI_PAIR(what, vertex, text)                                                                                  \
    static const char POPI_CAT(pop_##what##_, __COUNTER__)[]                                                           \
        __attribute__((used, section("pop_" #what "s"), aligned(1))) = #vertex "\0" text

#define POPI_CAT(a, b)  POPI_CAT_(a, b)
#define POPI_CAT_(a, b) a##b
/* The number of arguments: 1 to 8, or N for more. */
#define POPI_COUNT(...) POPI_COUNT_(__VA_ARGS__, N, N, N, N, 8, 7, 6, 5, 4, 3, 2, 1, 0)

#define POPI_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, count, ...) count

/* POP_VECTOR and the like expand to eight arguments for POP_INPUT and the like:
 * form, element type, outer holder, outer layout, inner holder, inner layout, alignment (0: natural), interleaved. */
#define POPI_VECTOR_1(T)            POPI_VECTOR_4(T, SPAN, 0, 0)
#define POPI_VECTOR_2(T, L)         POPI_VECTOR_4(T, L, 0, 0)
#define POPI_VECTOR_3(T, L, A)      POPI_VECTOR_4(T, L, A, 0)
#define POPI_VECTOR_4(T, L, A, I)   VECTOR, T, POPI_HOLDER_##L, POPI_LAYOUT_##L, , 0, A, I
#define POPI_VECTORS_1(T)           POPI_VECTORS_5(T, SPAN, SPAN, 0, 0)
#define POPI_VECTORS_2(T, L)        POPI_VECTORS_5(T, L, SPAN, 0, 0)
#define POPI_VECTORS_3(T, L, IL)    POPI_VECTORS_5(T, L, IL, 0, 0)
#define POPI_VECTORS_4(T, L, IL, A) POPI_VECTORS_5(T, L, IL, A, 0)
#define POPI_VECTORS_5(T, L, IL, A, I)                                                                                 \
    VECTORS, T, POPI_HOLDER_##L, POPI_LAYOUT_##L, POPI_HOLDER_##IL, POPI_LAYOUT_##IL, A, I
#define POPI_LIST_1(T)          POPI_LIST_4(T, COMPACT_DELTAN, 0, 0)
#define POPI_LIST_2(T, L)       POPI_LIST_4(T, L, 0, 0)
#define POPI_LIST_3(T, L, A)    POPI_LIST_4(T, L, A, 0)
#define POPI_LIST_4(T, L, A, I) LIST, T, POPI_SIZED, 0, POPI_SIZED, POPI_LIST_LAYOUT_##L, A, I
#define POPI_SCALARS_1(T)       POPI_SCALARS_2(T, SPAN)
#define POPI_SCALARS_2(T, L)    SCALARS, T, POPI_HOLDER_##L, POPI_LAYOUT_##L, , 0, 0, 0
/* A vector in a vector: popc refuses it with the field's name. */
#define POPI_VECTOR_8(...)  POPI_NESTED
#define POPI_VECTOR_N(...)  POPI_NESTED
#define POPI_VECTORS_8(...) POPI_NESTED
#define POPI_VECTORS_N(...) POPI_NESTED
#define POPI_LIST_8(...)    POPI_NESTED
#define POPI_LIST_N(...)    POPI_NESTED
#define POPI_SCALARS_8(...) POPI_NESTED
#define POPI_SCALARS_N(...) POPI_NESTED
#define POPI_NESTED         NESTED, void, , 0, , 0, 0, 0

#define POPI_SIZED(T)                                                                                                  \
    struct {                                                                                                           \
        T *data;                                                                                                       \
        size_t size;                                                                                                   \
    }
#define POPI_BARE(T)                                                                                                   \
    struct {                                                                                                           \
        T *data;                                                                                                       \
    }
#define POPI_HOLDER_SPAN          POPI_SIZED
#define POPI_HOLDER_SHORT_SPAN    POPI_SIZED
#define POPI_HOLDER_ONE_PTR       POPI_BARE
#define POPI_HOLDER_SCALED_PTR32  POPI_BARE
#define POPI_HOLDER_SCALED_PTR64  POPI_BARE
#define POPI_HOLDER_SCALED_PTR128 POPI_BARE
#define POPI_HOLDER_COMPACT_PTR   POPI_BARE

/* The values of enum vector_layout, enum vector_list_layout and enum field_shape in popc's codelet.h. */
#define POPI_LAYOUT_SPAN                0
#define POPI_LAYOUT_SHORT_SPAN          1
#define POPI_LAYOUT_ONE_PTR             2
#define POPI_LAYOUT_SCALED_PTR32        3
#define POPI_LAYOUT_SCALED_PTR64        4
#define POPI_LAYOUT_SCALED_PTR128       5
#define POPI_LAYOUT_COMPACT_PTR         6
#define POPI_LIST_LAYOUT_DELTAN         0
#define POPI_LIST_LAYOUT_DELTANELEMENTS 1
#define POPI_LIST_LAYOUT_COMPACT_DELTAN 2
#define POPI_SHAPE_VECTOR               1
#define POPI_SHAPE_VECTORS              2
#define POPI_SHAPE_LIST                 3
#define POPI_SHAPE_SCALARS              4
#define POPI_SHAPE_NESTED               5

/* The zero-size member: each number is encoded as an array length minus one. */
#define POPI_MARK(D, S, L, IL, A, I)                                                                                   \
    __extension__ struct {                                                                                             \
        char direction[(D) + 1], shape[(S) + 1], layout[(L) + 1], inner[(IL) + 1], align[(A) + 1],                     \
            interleaved[(I) + 1];                                                                                      \
    } POPI_CAT(pop_field_, __COUNTER__)[0];

#define POPI_EDGE(D, C, ...) POPI_CAT(POPI_EDGE_, POPI_COUNT(__VA_ARGS__))(D, C, __VA_ARGS__)
#define POPI_EDGE_1(D, C, T) POPI_MARK(D, 0, 0, 0, 0, 0) __typeof__(C T *)
#define POPI_EDGE_8(D, C, F, T, H, L, IH, IL, A, I)                                                                    \
    POPI_MARK(D, POPI_SHAPE_##F, L, IL, A, I) POPI_FORM_##F(C T, H, IH, const)
#define POPI_STATE_1(T)                        POPI_MARK(0, 0, 0, 0, 0, 0) T
#define POPI_STATE_8(F, T, H, L, IH, IL, A, I) POPI_MARK(0, POPI_SHAPE_##F, L, IL, A, I) POPI_STATE_FORM_##F(T, H, IH)

#define POPI_FORM_VECTOR(T, H, IH, TABLE)  H(T)
#define POPI_FORM_VECTORS(T, H, IH, TABLE) H(TABLE IH(T))
#define POPI_FORM_LIST(T, H, IH, TABLE)    H(TABLE IH(T))
#define POPI_FORM_SCALARS(T, H, IH, TABLE) H(T *TABLE)
#define POPI_FORM_NESTED(T, H, IH, TABLE)  T *
#define POPI_STATE_FORM_VECTOR(T, H, IH)   H(T)
#define POPI_STATE_FORM_VECTORS(T, H, IH)  H(IH(T))
#define POPI_STATE_FORM_NESTED(T, H, IH)   T *

#endif
