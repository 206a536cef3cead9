/* SPDX-License-Identifier: Apache-2.0 */
/* The partitioner of dynamic operations.  Errors are recorded in a graph, so a temporary one is created for a call. */
#include "poplibs/log.h"
#include "popsparse/host/buckets.h"
#include "popsparse/host/host.h"
#include "popsparse/pass/request.h"

#include <popsparse/sparse_partitioner.h>

struct popsparse_dynamic_partitioner {
    struct sparse_request request;
};

/* ---- making ---- */

static popsparse_dynamic_partitioner *create(const struct call *call, const struct sparse_question *asked,
                                             pop_error *error)
{
    pop_error found;
    struct call own = call_reporting(call, &found);
    struct sparse_request request;
    if (!sparse_request_make(&own, asked, &request))
        return call_report(&own, error), NULL;
    popsparse_dynamic_partitioner *made = poplibs_new(1, sizeof(*made));
    made->request = request;
    return made;
}

popsparse_dynamic_partitioner *
popsparse_dynamic_partitioner_create_at(pop_where where, const popsparse_dynamic_fully_connected_params *params,
                                        pop_type data_type, const pop_target *target, pop_options options,
                                        popsparse_planning_cache *cache, const char *name, pop_error *error)
{
    POPLIBS_CALL(NULL, log_type(data_type), options, name);
    struct sparse_question asked = { .shape = sparse_shape_of_fully_connected(params, data_type),
                                     .ratio = params->nz_ratio,
                                     .set = SPARSE_OF_FULLY_CONNECTED,
                                     .target = target,
                                     .cache = cache };
    return create(call, &asked, error);
}
popsparse_dynamic_partitioner *
popsparse_dynamic_partitioner_create_mat_mul_at(pop_where where, const popsparse_dynamic_mat_mul_params *params,
                                                pop_type data_type, const pop_target *target, pop_options options,
                                                popsparse_planning_cache *cache, const char *name, pop_error *error)
{
    POPLIBS_CALL(NULL, log_type(data_type), options, name);
    struct sparse_question asked = { .shape = sparse_shape_of_mat_mul(params, data_type),
                                     .ratio = params->nz_ratio,
                                     .set = SPARSE_OF_MAT_MUL,
                                     .target = target,
                                     .cache = cache };
    return create(call, &asked, error);
}
void popsparse_dynamic_partitioner_destroy(popsparse_dynamic_partitioner *partitioner)
{
    free(partitioner);
}

/* ---- conversions ---- */

static bool to_data(const struct call *call, const struct sparse_request *p, const popsparse_matrix *matrix,
                    popsparse_sparsity_data *data)
{
    struct sparse_entries entries;
    struct sparse_buckets buckets;
    if (!sparse_entries_read(call, &p->shape, matrix, &entries))
        return false;
    bool filled = sparse_buckets_fill(call, &p->shape, &p->plan, &p->options, &entries, &buckets);
    free(entries.list);
    if (!filled)
        return false;
    data->num_meta_info = sparse_meta_info_elements(&p->plan);
    data->meta_info = buckets.meta_info;
    data->num_nz_values = p->plan.cells * p->plan.nz;
    data->nz_values = sparse_values_of(&p->shape, &p->plan, &buckets, matrix->nz_values);
    free(buckets.places);
    return true;
}
static bool to_matrix(const struct call *call, const struct sparse_request *p, const popsparse_sparsity_data *data,
                      popsparse_format format, popsparse_matrix *matrix)
{
    struct sparse_entries entries;
    if ((unsigned)format > POPSPARSE_CSC)
        return call_fail(call, POP_POPLAR_ERROR, "the format is none of COO, CSR and CSC");
    if (data->num_meta_info != sparse_meta_info_elements(&p->plan) || data->num_nz_values != p->plan.cells * p->plan.nz)
        return call_fail(call, POP_POPLAR_ERROR,
                         "there are %zu elements of meta information and %zu values where the operation has %zu and "
                         "%zu",
                         data->num_meta_info, data->num_nz_values, sparse_meta_info_elements(&p->plan),
                         p->plan.cells * p->plan.nz);
    if (!sparse_buckets_read(call, &p->shape, &p->plan, data->meta_info, &entries))
        return false;
    *matrix = sparse_matrix_of(&p->shape, &p->plan, &entries, data->nz_values, format);
    free(entries.list);
    return true;
}

pop_status popsparse_dynamic_partitioner_create_sparsity_data_at(pop_where where,
                                                                 const popsparse_dynamic_partitioner *partitioner,
                                                                 const popsparse_matrix *matrix,
                                                                 popsparse_sparsity_data *data, pop_error *error)
{
    POPLIBS_CALL(NULL, log_none());
    pop_error found;
    struct call own = call_reporting(call, &found);
    *data = (popsparse_sparsity_data){ 0 };
    return to_data(&own, &partitioner->request, matrix, data) ? POP_OK : call_report(&own, error);
}
pop_status popsparse_dynamic_partitioner_sparsity_data_to_matrix_at(pop_where where,
                                                                    const popsparse_dynamic_partitioner *partitioner,
                                                                    const popsparse_sparsity_data *data,
                                                                    popsparse_format format, popsparse_matrix *matrix,
                                                                    pop_error *error)
{
    POPLIBS_CALL(NULL, log_none());
    pop_error found;
    struct call own = call_reporting(call, &found);
    *matrix = (popsparse_matrix){ .format = format };
    return to_matrix(&own, &partitioner->request, data, format, matrix) ? POP_OK : call_report(&own, error);
}
void popsparse_sparsity_data_free(popsparse_sparsity_data *data)
{
    if (!data)
        return;
    free(data->meta_info);
    free(data->nz_values);
    *data = (popsparse_sparsity_data){ 0 };
}

/* ---- queries ---- */

size_t popsparse_dynamic_partitioner_get_plan_partitions(const popsparse_dynamic_partitioner *partitioner,
                                                         unsigned dimension, size_t *starts, size_t capacity)
{
    const struct sparse_plan *plan = &partitioner->request.plan;
    size_t counts[] = { plan->x, plan->y, plan->z },
           sizes[] = { plan->cell_rows, plan->cell_columns, plan->cell_batch };
    if (dimension > 2)
        return 0;
    for (size_t i = 0; i < poplibs_min(capacity, counts[dimension]); ++i)
        starts[i] = i * sizes[dimension];
    return counts[dimension];
}
size_t popsparse_dynamic_partitioner_get_meta_info_bucket_elements(const popsparse_dynamic_partitioner *partitioner)
{
    return partitioner->request.plan.meta_info;
}
