/* SPDX-License-Identifier: Apache-2.0 */
/* A group norm is computed as a norm of the view {channels of a group, batch * groups, field}, whose second
 * dimension is the channels for poplin. */
#include "poplibs/log.h"
#include "poplibs/norm_options.h"
#include "popnn/norm/host_norm.h"
#include "popnn/support.h"

#include <popnn/norms.h>
#include <popops/scaled_add.h>

/* ---- costs ---- */

uint64_t popnn_norm_fwd_flops(size_t statistics_size, size_t acts_elements)
{
    /* For each element a sum, a square and its sum; for each statistic scale, square, difference, eps, root. Then
     * four for each element. */
    return (statistics_size ? (uint64_t)3 * acts_elements + (uint64_t)6 * statistics_size : 0) +
           (uint64_t)4 * acts_elements;
}
uint64_t popnn_norm_bwd_flops(size_t statistics_size, size_t acts_elements)
{
    return (uint64_t)8 * acts_elements +
           (uint64_t)2 *
               statistics_size; /* gamma; two sums, one of them of products; three operations with them; two means */
}
uint64_t popnn_norm_wu_flops(size_t params_size, size_t acts_elements)
{
    return (uint64_t)3 * acts_elements + (uint64_t)4 * params_size; /* as above; scaled addition for both parameters */
}

/* ---- parameters ---- */

void popnn_norm_param_update_at(pop_where where, pop_graph *graph, pop_tensor gamma_delta, pop_tensor beta_delta,
                                double scale, pop_tensor gamma, pop_tensor beta, pop_program sequence, const char *name,
                                pop_options options)
{
    POPLIBS_CALL(graph, gamma_delta, beta_delta, scale, gamma, beta, name, options);
    if (!poplibs_take_plain_norm_options(where, graph, "popnn_norm_param_update", options))
        return;
    popops_scaled_add_to_constant_at(where, graph, gamma, gamma_delta, scale, sequence, name, POP_NO_OPTIONS);
    popops_scaled_add_to_constant_at(where, graph, beta, beta_delta, scale, sequence, name, POP_NO_OPTIONS);
}
void popnn_norm_param_update_tensor_at(pop_where where, pop_graph *graph, pop_tensor gamma_delta, pop_tensor beta_delta,
                                       pop_tensor scale, pop_tensor gamma, pop_tensor beta, pop_program sequence,
                                       const char *name, pop_options options)
{
    POPLIBS_CALL(graph, gamma_delta, beta_delta, scale, gamma, beta, name, options);
    if (!poplibs_take_plain_norm_options(where, graph, "popnn_norm_param_update_tensor", options))
        return;
    popops_scaled_add_to_at(where, graph, gamma, gamma_delta, scale, sequence, name, POP_NO_OPTIONS);
    popops_scaled_add_to_at(where, graph, beta, beta_delta, scale, sequence, name, POP_NO_OPTIONS);
}

/* ---- batch norm ---- */

pop_tensor popnn_batch_normalise_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor gamma,
                                    pop_tensor beta, pop_tensor mean, pop_tensor inv_std_dev, pop_program sequence,
                                    const char *name, pop_options options, pop_tensor *whitened)
{
    POPLIBS_CALL(graph, acts, gamma, beta, mean, inv_std_dev, name, options);
    pop_tensor white = poplin_norm_whiten_at(where, graph, acts, mean, inv_std_dev, sequence, name, options);
    if (whitened)
        *whitened = white;
    return poplin_normalise_at(where, graph, white, gamma, beta, sequence, name, options);
}
pop_tensor popnn_batch_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                         pop_tensor inv_std_dev, pop_tensor gamma, pop_program sequence,
                                         pop_type partials_type, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, whitened, grads, inv_std_dev, gamma, log_type(partials_type), name, options);
    pop_tensor scaled = poplin_norm_gradients_at(where, graph, grads, gamma, sequence, name, options);
    return poplin_norm_statistics_gradients_at(where, graph, whitened, scaled, inv_std_dev, sequence, partials_type,
                                               name, options);
}
pop_tensor popnn_distributed_batch_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened,
                                                     pop_tensor grads, pop_tensor inv_std_dev, pop_tensor gamma,
                                                     pop_program sequence, poplin_norm_reduce reduce, void *context,
                                                     unsigned norm_batch_size, pop_type partials_type, const char *name,
                                                     pop_options options)
{
    POPLIBS_CALL(graph, whitened, grads, inv_std_dev, gamma, norm_batch_size, log_type(partials_type), name, options);
    pop_tensor scaled = poplin_norm_gradients_at(where, graph, grads, gamma, sequence, name, options);
    return poplin_distributed_norm_statistics_gradients_at(where, graph, whitened, scaled, inv_std_dev, sequence,
                                                           reduce, context, norm_batch_size, partials_type, name,
                                                           options);
}

/* ---- group norm ---- */

enum { MAX_RANK = 32 };

/* How channels are divided into groups. */
struct grouping {
    pop_where where;
    pop_graph *graph;
    size_t rank, dims[MAX_RANK]; /* of the activations */
    size_t groups, of_group;
    bool strided;
};

/* groups SIZE_MAX: the number of statistics for each image. */
static bool open_groups(struct grouping *g, pop_where where, pop_graph *graph, const char *api, pop_tensor acts,
                        size_t groups, pop_tensor statistics, pop_options options)
{
    static const struct poplibs_option table[] = {
#define NORM_OPTION(...) POPLIBS_ROW(struct grouping, __VA_ARGS__)
#include "poplibs/options.def"
    };
    *g = (struct grouping){ .where = where, .graph = graph };
    if (!poplibs_ready(graph) || !popnn_check_floating(graph, where, api, "the tensor of activations", acts) ||
        !poplibs_parse_options(where, graph, api, options, table, 1, g))
        return false;
    g->rank = pop_tensor_shape(acts, g->dims, MAX_RANK);
    if (g->rank < 2 || g->rank > MAX_RANK)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                            "activations have %zu dimensions; batch and channels are needed, and 32 are the most",
                            g->rank);
    if (groups == SIZE_MAX && g->dims[0]) {
        if (pop_tensor_rank(statistics) != 1 || pop_tensor_dim(statistics, 0) % g->dims[0])
            return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                                "statistics of %zu elements are not as many for each of %zu images",
                                pop_tensor_num_elements(statistics), g->dims[0]);
        groups = pop_tensor_dim(statistics, 0) / g->dims[0];
    }
    g->groups = groups == SIZE_MAX ? 1 : groups;
    if (g->groups == 0 || g->dims[1] % g->groups)
        return poplibs_fail(graph, POP_POPLAR_ERROR, where, api,
                            "%zu groups of %zu channels: the groups have to be of one size", g->groups, g->dims[1]);
    g->of_group = g->dims[1] / g->groups;
    return true;
}

static size_t field_of(const struct grouping *g)
{
    size_t field = 1;
    for (size_t i = 2; i < g->rank; ++i)
        field *= g->dims[i];
    return field;
}
static pop_tensor to_groups(const struct grouping *g, pop_tensor acts)
{
    size_t field = field_of(g), images = g->dims[0];
    pop_shape cut = g->strided ? POP_SHAPE(images, g->of_group, g->groups, field)
                               : POP_SHAPE(images, g->groups, g->of_group, field);
    pop_tensor parts =
        pop_tensor_dim_roll_at(g->where, pop_tensor_reshape_at(g->where, acts, cut), g->strided ? 1 : 2, 0);
    return pop_tensor_reshape_at(g->where, parts, POP_SHAPE(g->of_group, images * g->groups, field));
}
static pop_tensor from_groups(const struct grouping *g, pop_tensor grouped)
{
    pop_tensor parts =
        pop_tensor_reshape_at(g->where, grouped, POP_SHAPE(g->of_group, g->dims[0], g->groups, field_of(g)));
    return pop_tensor_reshape_at(g->where, pop_tensor_dim_roll_at(g->where, parts, 0, g->strided ? 1 : 2),
                                 (pop_shape){ g->rank, g->dims });
}

void popnn_group_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                    pop_program sequence, size_t groups, bool unbiased_variance, bool stable,
                                    pop_type partials_type, const char *name, pop_options options, pop_tensor *mean,
                                    pop_tensor *inv_std_dev)
{
    POPLIBS_CALL(graph, acts, eps, groups, unbiased_variance, stable, log_type(partials_type), name, options);
    struct grouping g;
    pop_tensor unwanted;
    mean = mean ? mean : &unwanted;
    inv_std_dev = inv_std_dev ? inv_std_dev : &unwanted;
    *mean = *inv_std_dev = (pop_tensor){ 0 };
    if (!open_groups(&g, where, graph, "popnn_group_norm_statistics", acts, groups, acts, options))
        return;
    struct host_statistics host = { where, graph, acts, eps, unbiased_variance, stable };
    if (g.groups == 1 && partials_type == POP_FLOAT && eps >= 0 && host_norm_measures(&host))
        host_norm_statistics(&host, sequence, name, mean, inv_std_dev);
    else
        poplin_norm_statistics_at(where, graph, to_groups(&g, acts), eps, sequence, unbiased_variance, stable,
                                  partials_type, name, POP_NO_OPTIONS, mean, inv_std_dev);
}
void popnn_layer_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                    pop_program sequence, bool unbiased_variance, bool stable, pop_type partials_type,
                                    const char *name, pop_options options, pop_tensor *mean, pop_tensor *inv_std_dev)
{
    POPLIBS_CALL(graph, acts, eps, unbiased_variance, stable, log_type(partials_type), name, options);
    popnn_group_norm_statistics_at(where, graph, acts, eps, sequence, 1, unbiased_variance, stable, partials_type, name,
                                   options, mean, inv_std_dev);
}
void popnn_instance_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                       pop_program sequence, bool unbiased_variance, bool stable,
                                       pop_type partials_type, const char *name, pop_options options, pop_tensor *mean,
                                       pop_tensor *inv_std_dev)
{
    POPLIBS_CALL(graph, acts, eps, unbiased_variance, stable, log_type(partials_type), name, options);
    size_t channels = pop_tensor_rank(acts) < 2 ? 1 : pop_tensor_dim(acts, 1);
    popnn_group_norm_statistics_at(where, graph, acts, eps, sequence, channels, unbiased_variance, stable,
                                   partials_type, name, options, mean, inv_std_dev);
}

pop_tensor popnn_group_norm_whiten_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor mean,
                                      pop_tensor inv_std_dev, pop_program sequence, const char *name,
                                      pop_options options)
{
    POPLIBS_CALL(graph, acts, mean, inv_std_dev, name, options);
    struct grouping g;
    if (!open_groups(&g, where, graph, "popnn_group_norm_whiten", acts, SIZE_MAX, mean, options))
        return (pop_tensor){ 0 };
    pop_tensor made =
        poplin_norm_whiten_at(where, graph, to_groups(&g, acts), mean, inv_std_dev, sequence, name, POP_NO_OPTIONS);
    return poplibs_ready(graph) ? from_groups(&g, made) : made;
}
pop_tensor popnn_group_normalise_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor gamma,
                                    pop_tensor beta, pop_tensor mean, pop_tensor inv_std_dev, pop_program sequence,
                                    const char *name, pop_options options, pop_tensor *whitened)
{
    POPLIBS_CALL(graph, acts, gamma, beta, mean, inv_std_dev, name, options);
    struct host_norm host = { where, graph, acts, gamma, beta, mean, inv_std_dev };
    struct grouping g;
    if (host_norm_serves(&host))
        return open_groups(&g, where, graph, "popnn_group_normalise", acts, SIZE_MAX, mean, options)
                   ? host_norm_normalise(&host, sequence, name, whitened)
                   : (pop_tensor){ 0 };
    pop_tensor white = popnn_group_norm_whiten_at(where, graph, acts, mean, inv_std_dev, sequence, name, options);
    if (whitened)
        *whitened = white;
    return poplin_normalise_at(where, graph, white, gamma, beta, sequence, name, POP_NO_OPTIONS);
}

pop_tensor popnn_group_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                         pop_tensor inv_std_dev, pop_tensor gamma, pop_program sequence,
                                         pop_type partials_type, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, whitened, grads, inv_std_dev, gamma, log_type(partials_type), name, options);
    struct grouping g;
    pop_tensor none = { 0 };
    if (!open_groups(&g, where, graph, "popnn_group_norm_gradients", whitened, SIZE_MAX, inv_std_dev, options))
        return none;
    if (!poplibs_shapes_equal(whitened, grads)) {
        poplibs_fail(graph, POP_POPLAR_ERROR, where, "popnn_group_norm_gradients",
                     "the whitened activations and the gradients differ in shape");
        return none;
    }
    pop_tensor scaled = poplin_norm_gradients_at(where, graph, grads, gamma, sequence, name, POP_NO_OPTIONS);
    if (!poplibs_ready(graph))
        return none;
    pop_tensor made = poplin_norm_statistics_gradients_at(where, graph, to_groups(&g, whitened), to_groups(&g, scaled),
                                                          inv_std_dev, sequence, partials_type, name, POP_NO_OPTIONS);
    return poplibs_ready(graph) ? from_groups(&g, made) : none;
}
void popnn_group_norm_param_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                         pop_program sequence, pop_type partials_type, const char *name,
                                         pop_options options, pop_tensor *gamma_delta, pop_tensor *beta_delta)
{
    POPLIBS_CALL(graph, whitened, grads, log_type(partials_type), name, options);
    struct grouping g;
    pop_tensor unwanted;
    gamma_delta = gamma_delta ? gamma_delta : &unwanted;
    beta_delta = beta_delta ? beta_delta : &unwanted;
    *gamma_delta = *beta_delta = (pop_tensor){ 0 };
    if (open_groups(&g, where, graph, "popnn_group_norm_param_gradients", whitened, 1, whitened, options))
        poplin_norm_param_gradients_at(where, graph, whitened, grads, sequence, partials_type, name, POP_NO_OPTIONS,
                                       gamma_delta, beta_delta);
}
