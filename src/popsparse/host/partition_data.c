/* SPDX-License-Identifier: Apache-2.0 */
#include "popsparse/host/host.h"

double *sparse_values_of(const struct sparse_shape *shape, const struct sparse_plan *plan,
                         const struct sparse_buckets *buckets, const double *values)
{
    size_t area = sparse_block_area(shape);
    double *made = poplibs_zeros(plan->cells * plan->nz, sizeof(*made));
    for (size_t c = 0; c < plan->cells; ++c)
        for (size_t i = 0; i < buckets->blocks; ++i) {
            size_t place = buckets->places[c * buckets->blocks + i];
            if (place != SIZE_MAX)
                memcpy(made + c * plan->nz + i * area, values + place * area, area * sizeof(*made));
        }
    return made;
}

popsparse_matrix sparse_matrix_of(const struct sparse_shape *shape, const struct sparse_plan *plan,
                                  const struct sparse_entries *entries, const double *values, popsparse_format format)
{
    size_t area = sparse_block_area(shape), blocks = plan->nz / area;
    double *dense = poplibs_new(plan->cells * blocks * area, sizeof(*dense)); /* without the ends of buckets */
    for (size_t c = 0; c < plan->cells; ++c)
        memcpy(dense + c * blocks * area, values + c * plan->nz, blocks * area * sizeof(*dense));
    popsparse_matrix made = sparse_entries_write(shape, entries, dense, format);
    free(dense);
    return made;
}
