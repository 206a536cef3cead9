/* SPDX-License-Identifier: Apache-2.0 */
/* popops::DynamicSlice2d<T> and DynamicUpdateSlice2d<T>: one worker, several regions; for each region baseT has a row
 * for each element of the sliced dimension, and subT one for each element of the slice.  DynamicSliceSupervisor<T> and
 * DynamicUpdateSliceSupervisor<T>: one region with contiguous rows.  An offset beyond the base counts as 0, and rows
 * wrap around at the end. */
#include "poplibs/vertex_types.h"

#define TYPES POPLIBS_ALL_TYPES

#ifdef __POPC__
#include <poplar/vertex.h>
#include <string.h>

static inline unsigned first_row(unsigned offset, unsigned rows)
{
    return offset < rows ? offset : 0;
}

#define COPY_ROWS(v, to, from)                                                                                         \
    for (unsigned i = 0, row = first_row(*(v)->offset, (v)->numBaseElements); i < (v)->numSubElements; ++i) {          \
        for (size_t r = 0; r < (v)->numRegions; ++r) {                                                                 \
            size_t base = r * (v)->numBaseElements + row, sub = r * (v)->numSubElements + i;                           \
            memcpy((v)->to.data, (v)->from.data, (v)->subT.data[sub].size * sizeof(*(v)->to.data));                    \
        }                                                                                                              \
        row = row + 1 == (v)->numBaseElements ? 0 : row + 1;                                                           \
    }
#define COPY_REGION(v, to, to_row, from, from_row)                                                                     \
    for (unsigned i = 0, row = first_row(*(v)->offset, (v)->numBaseElements); i < (v)->numSubElements; ++i) {          \
        size_t size = (v)->regionSize;                                                                                 \
        memcpy((v)->to.data + (to_row)*size, (v)->from.data + (from_row)*size, size * sizeof(*(v)->to.data));          \
        row = row + 1 == (v)->numBaseElements ? 0 : row + 1;                                                           \
    }

#define TEMPLATE "popops/slice/dynamic_slice_typed.h"
#include "poplibs/each_type.h"

#else
#include "poplibs/estimates.h"
#include "popops/vertices.h"

/* Poplibs 1.2's estimators; n elements are 31 + 2 nv cycles in half, 29 + nv in other types. */
static pop_perf estimate_2d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    pop_type type = poplibs_type_of_user(user);
    unsigned width = pop_target_vector_width(target, type);
    size_t slices = (size_t)pop_vertex_view_field_value(vertex, "numSubElements", 0);
    size_t regions = (size_t)pop_vertex_view_field_value(vertex, "numRegions", 0);
    uint64_t cycles = 23;
    for (size_t i = 0; i < regions; ++i) {
        uint64_t vectors = poplibs_ceil_div(pop_vertex_view_field_size(vertex, "subT", i * slices), width);
        cycles += (type == POP_HALF ? 31 + 2 * vectors : 29 + vectors) * slices + 13;
    }
    return (pop_perf){ cycles, 0 };
}
static pop_perf estimate_1d(const pop_vertex_view *vertex, const pop_target *target, void *user)
{
    unsigned workers = target->num_worker_contexts;
    uint64_t slices = (uint64_t)pop_vertex_view_field_value(vertex, "numSubElements", 0);
    size_t elements = (size_t)pop_vertex_view_field_value(vertex, "regionSize", 0);
    uint64_t share =
        poplibs_ceil_div(elements, (size_t)workers * pop_target_vector_width(target, poplibs_type_of_user(user)));
    return (pop_perf){ poplibs_supervisor_cycles(target) + 14 + workers * (41 + (27 + share) * slices), 0 };
}

void register_dynamic_slice_vertices(pop_graph *graph)
{
    static const struct poplibs_estimate families[] = { { "popops::DynamicSlice2d<%s>", estimate_2d },
                                                        { "popops::DynamicUpdateSlice2d<%s>", estimate_2d },
                                                        { "popops::DynamicSliceSupervisor<%s>", estimate_1d },
                                                        { "popops::DynamicUpdateSliceSupervisor<%s>", estimate_1d } };
    poplibs_register_estimates(graph, TYPES, families, sizeof(families) / sizeof(families[0]));
}
#endif
