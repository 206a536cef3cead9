/* SPDX-License-Identifier: Apache-2.0 */
/* The partitioner of static products.  Errors are recorded in a graph, so a temporary one is created for a call. */
#include "poplibs/log.h"
#include "popsparse/fixed/fixed.h"
#include "popsparse/host/host.h"

#include <popsparse/static_mat_mul.h>

struct popsparse_static_partitioner {
    pop_target target;
    popsparse_static_mat_mul_params params;
    pop_type type;
    struct sparse_options options;
    popsparse_planning_cache *cache;
    struct sparse_request request; /* of the last pattern */
    size_t *meta_info;             /* its buckets; NULL: there is none yet */
};

popsparse_static_partitioner *
popsparse_static_partitioner_create_at(pop_where where, const popsparse_static_mat_mul_params *params,
                                       pop_type data_type, const pop_target *target, pop_options options,
                                       popsparse_planning_cache *cache, const char *name, pop_error *error)
{
    POPLIBS_CALL(NULL, log_type(data_type), options, name);
    pop_error found;
    struct call own = call_reporting(call, &found);
    popsparse_static_partitioner *p = poplibs_zeros(1, sizeof(*p));
    p->target = *target;
    p->params = *params;
    p->type = data_type;
    p->cache = cache;
    if (!sparse_options_parse(&own, SPARSE_OF_STATIC, params->transposed, &p->options)) {
        call_report(&own, error);
        free(p);
        p = NULL;
    }
    return p;
}
void popsparse_static_partitioner_destroy(popsparse_static_partitioner *partitioner)
{
    if (partitioner)
        free(partitioner->meta_info);
    free(partitioner);
}

static bool to_data(const struct call *call, popsparse_static_partitioner *p, const popsparse_matrix *matrix,
                    popsparse_sparsity_data *data)
{
    struct sparse_fixed fixed = { &p->params, p->type, &p->options, &p->target, p->cache };
    struct sparse_buckets buckets;
    struct sparse_request request;
    if (!sparse_fixed_request(call, &fixed, matrix, &request) || !sparse_fixed_fill(call, &request, matrix, &buckets))
        return false;
    data->num_nz_values = request.plan.cells * request.plan.nz;
    data->nz_values = sparse_values_of(&request.shape, &request.plan, &buckets, matrix->nz_values);
    free(p->meta_info);
    p->meta_info = buckets.meta_info;
    p->request = request;
    free(buckets.places);
    return true;
}
static bool to_matrix(const struct call *call, const popsparse_static_partitioner *p,
                      const popsparse_sparsity_data *data, popsparse_format format, popsparse_matrix *matrix)
{
    const struct sparse_request *request = &p->request;
    struct sparse_entries entries;
    if ((unsigned)format > POPSPARSE_CSC)
        return call_fail(call, POP_POPLAR_ERROR, "the format is none of COO, CSR and CSC");
    if (!p->meta_info || data->num_nz_values != request->plan.cells * request->plan.nz)
        return call_fail(call, POP_POPLAR_ERROR,
                         "Sparsity representation does not match: there are %zu values, and %zu in the pattern of the "
                         "last matrix",
                         data->num_nz_values, p->meta_info ? request->plan.cells * request->plan.nz : 0);
    if (!sparse_buckets_read(call, &request->shape, &request->plan, p->meta_info, &entries))
        return false;
    *matrix = sparse_matrix_of(&request->shape, &request->plan, &entries, data->nz_values, format);
    free(entries.list);
    return true;
}

pop_status popsparse_static_partitioner_create_sparsity_data_at(pop_where where,
                                                                popsparse_static_partitioner *partitioner,
                                                                const popsparse_matrix *matrix,
                                                                popsparse_sparsity_data *data, pop_error *error)
{
    POPLIBS_CALL(NULL, log_none());
    pop_error found;
    struct call own = call_reporting(call, &found);
    *data = (popsparse_sparsity_data){ 0 };
    return to_data(&own, partitioner, matrix, data) ? POP_OK : call_report(&own, error);
}
pop_status popsparse_static_partitioner_sparsity_data_to_matrix_at(pop_where where,
                                                                   const popsparse_static_partitioner *partitioner,
                                                                   const popsparse_sparsity_data *data,
                                                                   popsparse_format format, popsparse_matrix *matrix,
                                                                   pop_error *error)
{
    POPLIBS_CALL(NULL, log_none());
    pop_error found;
    struct call own = call_reporting(call, &found);
    *matrix = (popsparse_matrix){ .format = format };
    return to_matrix(&own, partitioner, data, format, matrix) ? POP_OK : call_report(&own, error);
}
