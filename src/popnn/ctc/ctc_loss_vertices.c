/* SPDX-License-Identifier: Apache-2.0 */
/* popnn::CTCAlpha, CTCBeta, CTCGradGivenAlpha and CTCGradGivenBeta<in, partials, unsigned int, last>: one entry of the
 * batch, one partition of the time and one of the label. A call is one time step; a vertex counts its calls and does
 * nothing in those outside its partition.
 *
 * With blanks between its symbols a label of n symbols is a row of 2 n + 1: blank, symbol, blank, ..., blank; a
 * partition has the places of its symbols and of the blanks before them and, with `last`, also the last blank.
 * alpha[t][s] is the logarithm of the probability of all alignments of steps 0 to t that end at place s, beta[t][s]
 * that of steps t to the end that begin at s.  Both include the probability of step t. */
#include "poplibs/vertex_types.h"

#ifdef __POPC__
#include "poplibs/typed.h"
#include "popnn/ctc/ctc_places.h"

#include <poplar/vertex.h>

#define LAST_TEXT_0 "false"
#define LAST_TEXT_1 "true"
#define VERTEX_TEXT(name)                                                                                              \
    "popnn::" name "<" TEXT_OF(IN) "," TEXT_OF(PARTIALS) ",unsigned int," NAMED(LAST_TEXT, LAST) ">"

/* Fields of all vertices. probabilities: {steps of the partition, classes}; label: that of the partition, with its
 * neighbour on the side that sums come from; count: number of calls, the first of which is for step firstTime. The
 * partition begins at step timeOffset and has maxT steps. */
#define EDGES                                                                                                          \
    POP_INPUT(POP_VECTOR(IN, ONE_PTR)) probabilities;                                                                  \
    POP_INPUT(POP_VECTOR(unsigned)) label;                                                                             \
    POP_INPUT(unsigned) validTime;                                                                                     \
    POP_INPUT(unsigned) validLabel;                                                                                    \
    POP_INOUT(unsigned) count;
#define NUMBERS unsigned maxTime, maxLabel, numClasses, blankClass, labelOffset, timeOffset, maxT, firstTime;
/* The partition of the label, preceded by `neighbour` entries. */
#define PART(v, neighbour)                                                                                             \
    {                                                                                                                  \
        .label = (v)->label.data + (neighbour), .symbols = (unsigned)(v)->label.size - 1, .first = (v)->labelOffset,   \
        .valid_label = valid.label, .classes = (v)->numClasses, .blank = (v)->blankClass                               \
    }

#define PARTIALS float
#include "popnn/ctc/ctc_loss_sums.h"
#undef PARTIALS
#define PARTIALS half
#include "popnn/ctc/ctc_loss_sums.h"
#undef PARTIALS

#define IN       float
#define PARTIALS float
#include "popnn/ctc/ctc_loss_last.h"
#undef PARTIALS
#undef IN
#define IN       half
#define PARTIALS float
#include "popnn/ctc/ctc_loss_last.h"
#undef PARTIALS
#undef IN
#define IN       half
#define PARTIALS half
#include "popnn/ctc/ctc_loss_last.h"
#undef PARTIALS
#undef IN

#else
#include "poplibs/support.h"
#include "popnn/vertices.h"

/* 44 or 84 cycles for each symbol, in every call (docs/libraries/ctc.md); the last blank is not counted. */
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target;
    size_t label = pop_vertex_view_field_size(vertex, "label", POP_WHOLE);
    return (pop_perf){ (uintptr_t)user * (label - 1), 0 };
}

void register_ctc_loss_vertices(pop_graph *graph)
{
    static const struct {
        const char *name;
        unsigned cycles; /* per symbol */
    } kinds[] = { { "CTCAlpha", 44 }, { "CTCBeta", 44 }, { "CTCGradGivenAlpha", 84 }, { "CTCGradGivenBeta", 84 } };
    static const char *const types[] = { "float,float", "half,float", "half,half" };
    char name[96];
    for (size_t i = 0; i < 4 * 3 * 2; ++i) {
        snprintf(name, sizeof(name), "popnn::%s<%s,unsigned int,%s>", kinds[i / 6].name, types[i / 2 % 3],
                 i % 2 ? "true" : "false");
        pop_graph_register_perf_estimator(graph, name, estimate, poplibs_as_user(kinds[i / 6].cycles));
    }
}
#endif
