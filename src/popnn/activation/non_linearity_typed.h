/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::NonLinearitySupervisor<T,N> and related vertices for each function N: template of non_linearity_vertices.c. */
#define VERTEX_TEXT(name, function) "popnn::" name "<" T_NAME ",popnn::NonLinearityType::" #function ">"

#define APPLY(function)                                                                                                \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, NAMED(Apply, function, T_TAG), VERTEX_TEXT("NonLinearitySupervisor", function),   \
              POP_INOUT(POP_VECTOR(T)) data;)                                                                          \
    {                                                                                                                  \
        NAMED(apply, function, T_TAG)(v->data.data, v->data.size);                                                     \
    }
#define APPLY_2D(function)                                                                                             \
    VERTEX_OF(POP_VERTEX, NAMED(Apply2D, function, T_TAG), VERTEX_TEXT("NonLinearity2D", function),                    \
              POP_INOUT(POP_VECTORS(T)) data;)                                                                         \
    {                                                                                                                  \
        for (size_t i = 0; i < v->data.size; ++i)                                                                      \
            NAMED(apply, function, T_TAG)(v->data.data[i].data, v->data.data[i].size);                                 \
    }

#define GRADIENT_FIELDS                                                                                                \
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) outGrad;                                                                         \
    POP_INPUT(POP_VECTOR(T, ONE_PTR)) out;                                                                             \
    POP_OUTPUT(POP_VECTOR(T)) inGrad;
#define GRADIENT(function)                                                                                             \
    VERTEX_OF(POP_SUPERVISOR_VERTEX, NAMED(Grad, function, T_TAG),                                                     \
              VERTEX_TEXT("NonLinearityGradSupervisor", function), GRADIENT_FIELDS)                                    \
    {                                                                                                                  \
        NAMED(gradient_of, function, T_TAG)(v->out.data, v->outGrad.data, v->inGrad.data, v->inGrad.size);             \
    }
#define GRADIENT_2D_FIELDS                                                                                             \
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) outGrad;                                                               \
    POP_INPUT(POP_VECTORS(T, ONE_PTR, ONE_PTR)) out;                                                                   \
    POP_OUTPUT(POP_VECTORS(T)) inGrad;
#define GRADIENT_2D(function)                                                                                          \
    VERTEX_OF(POP_VERTEX, NAMED(Grad2D, function, T_TAG), VERTEX_TEXT("NonLinearityGrad2D", function),                 \
              GRADIENT_2D_FIELDS)                                                                                      \
    {                                                                                                                  \
        for (size_t i = 0; i < v->inGrad.size; ++i)                                                                    \
            NAMED(gradient_of, function, T_TAG)                                                                        \
        (v->out.data[i].data, v->outGrad.data[i].data, v->inGrad.data[i].data, v->inGrad.data[i].size);                \
    }

#define NAME(function, ...) APPLY(function) APPLY_2D(function) GRADIENT(function) GRADIENT_2D(function)
#include "popnn/activation/non_linearity.def"
#undef NAME

#undef VERTEX_TEXT
#undef APPLY
#undef APPLY_2D
#undef GRADIENT_FIELDS
#undef GRADIENT
#undef GRADIENT_2D_FIELDS
#undef GRADIENT_2D
