/* SPDX-License-Identifier: Apache-2.0 */
/* popops::IndexPlaces: converts index vectors to valid offsets, or to rows of a matrix.  A component out of range is
 * clamped; for rows it becomes 0, or makes the row index invalid. */
#ifdef __POPC__
#include <poplar/vertex.h>

POP_VERTEX(IndexPlaces)
{
    POP_INPUT(POP_VECTOR(unsigned)) indices; /* components of the first vector, of the second, ... */
    POP_OUTPUT(POP_VECTOR(unsigned)) places;
    POP_STATE(POP_VECTOR(unsigned)) limits; /* the largest of each component */
    POP_STATE(POP_VECTOR(unsigned)) strides;
    POP_STATE(bool) isSigned;
    POP_STATE(bool) rows;
    POP_STATE(bool) skip;
};
POP_VERTEX_NAME(IndexPlaces, "popops::IndexPlaces");
void IndexPlaces_compute(IndexPlaces *v)
{
    size_t components = v->limits.size, vectors = components ? v->indices.size / components : v->places.size;
    for (size_t i = 0; i < vectors; ++i) {
        unsigned row = 0;
        bool fits = true;
        for (size_t k = 0; k < components; ++k) {
            unsigned index = v->indices.data[i * components + k];
            if (index > v->limits.data[k]) {
                fits = false;
                index = v->rows || (v->isSigned && (int)index < 0) ? 0 : v->limits.data[k];
            }
            if (!v->rows)
                v->places.data[i * components + k] = index;
            row += index * v->strides.data[k];
        }
        if (v->rows)
            v->places.data[i] = v->skip && !fits ? 0xffffffffu : row;
    }
}

#else
#include "popops/vertices.h"

/* Poplibs publishes no formula: estimated as a load, two comparisons, a multiplication and an addition for each
 * component, and a store. */
static pop_perf estimate(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    (void)target, (void)user;
    return (pop_perf){ 12 + 10 * pop_vertex_view_field_size(vertex, "indices", POP_WHOLE) +
                           4 * pop_vertex_view_field_size(vertex, "places", POP_WHOLE),
                       0 };
}

void register_index_vectors_vertices(pop_graph *graph)
{
    pop_graph_register_perf_estimator(graph, "popops::IndexPlaces", estimate, NULL);
}
#endif
