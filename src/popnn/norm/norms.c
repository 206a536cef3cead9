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
    POPLIBS_CALL_IN(sequence, graph, gamma_delta, beta_delta, scale, gamma, beta, name, options);
    if (!call_takes_plain_norm_options(call))
        return;
    popops_scaled_add_to_constant(graph, gamma, gamma_delta, scale, sequence, name, POP_NO_OPTIONS);
    popops_scaled_add_to_constant(graph, beta, beta_delta, scale, sequence, name, POP_NO_OPTIONS);
}
void popnn_norm_param_update_tensor_at(pop_where where, pop_graph *graph, pop_tensor gamma_delta, pop_tensor beta_delta,
                                       pop_tensor scale, pop_tensor gamma, pop_tensor beta, pop_program sequence,
                                       const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, gamma_delta, beta_delta, scale, gamma, beta, name, options);
    if (!call_takes_plain_norm_options(call))
        return;
    popops_scaled_add_to(graph, gamma, gamma_delta, scale, sequence, name, POP_NO_OPTIONS);
    popops_scaled_add_to(graph, beta, beta_delta, scale, sequence, name, POP_NO_OPTIONS);
}

/* ---- batch norm ---- */

pop_tensor popnn_batch_normalise_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor gamma,
                                    pop_tensor beta, pop_tensor mean, pop_tensor inv_std_dev, pop_program sequence,
                                    const char *name, pop_options options, pop_tensor *whitened)
{
    POPLIBS_CALL_IN(sequence, graph, acts, gamma, beta, mean, inv_std_dev, name, options);
    pop_tensor white = poplin_norm_whiten(graph, acts, mean, inv_std_dev, sequence, name, options);
    if (whitened)
        *whitened = white;
    return poplin_normalise(graph, white, gamma, beta, sequence, name, options);
}
pop_tensor popnn_batch_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                         pop_tensor inv_std_dev, pop_tensor gamma, pop_program sequence,
                                         pop_type partials_type, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, whitened, grads, inv_std_dev, gamma, log_type(partials_type), name, options);
    pop_tensor scaled = poplin_norm_gradients(graph, grads, gamma, sequence, name, options);
    return poplin_norm_statistics_gradients(graph, whitened, scaled, inv_std_dev, sequence, partials_type, name,
                                            options);
}
pop_tensor popnn_distributed_batch_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened,
                                                     pop_tensor grads, pop_tensor inv_std_dev, pop_tensor gamma,
                                                     pop_program sequence, poplin_norm_reduce reduce, void *context,
                                                     unsigned norm_batch_size, pop_type partials_type, const char *name,
                                                     pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, whitened, grads, inv_std_dev, gamma, norm_batch_size, log_type(partials_type),
                    name, options);
    pop_tensor scaled = poplin_norm_gradients(graph, grads, gamma, sequence, name, options);
    return poplin_distributed_norm_statistics_gradients_at(call->where, graph, whitened, scaled, inv_std_dev, sequence,
                                                           reduce, context, norm_batch_size, partials_type, name,
                                                           options);
}

/* ---- group norm ---- */

enum { MAX_RANK = 32 };

/* How channels are divided into groups. */
struct grouping {
    const struct call *call;
    size_t rank, dims[MAX_RANK]; /* of the activations */
    size_t groups, of_group;
    bool strided;
};

/* groups SIZE_MAX: the number of statistics for each image. */
static bool open_groups(const struct call *call, struct grouping *g, pop_tensor acts, size_t groups,
                        pop_tensor statistics)
{
    static const struct poplibs_option table[] = {
#define NORM_OPTION(...) POPLIBS_ROW(struct grouping, __VA_ARGS__)
#include "poplibs/options.def"
    };
    *g = (struct grouping){ .call = call };
    if (!call_ready(call) || !check_floating(call, "the tensor of activations", acts) ||
        !call_read_options(call, call->options, table, 1, g))
        return false;
    g->rank = pop_tensor_shape(acts, g->dims, MAX_RANK);
    if (g->rank < 2 || g->rank > MAX_RANK)
        return call_fail(call, POP_POPLAR_ERROR,
                         "activations have %zu dimensions; batch and channels are needed, and 32 are the most",
                         g->rank);
    if (groups == SIZE_MAX && g->dims[0]) {
        if (pop_tensor_rank(statistics) != 1 || pop_tensor_dim(statistics, 0) % g->dims[0])
            return call_fail(call, POP_POPLAR_ERROR,
                             "statistics of %zu elements are not as many for each of %zu images",
                             pop_tensor_num_elements(statistics), g->dims[0]);
        groups = pop_tensor_dim(statistics, 0) / g->dims[0];
    }
    g->groups = groups == SIZE_MAX ? 1 : groups;
    if (g->groups == 0 || g->dims[1] % g->groups)
        return call_fail(call, POP_POPLAR_ERROR, "%zu groups of %zu channels: the groups have to be of one size",
                         g->groups, g->dims[1]);
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
    const struct call *call = g->call;
    size_t field = field_of(g), images = g->dims[0];
    pop_shape cut = g->strided ? POP_SHAPE(images, g->of_group, g->groups, field)
                               : POP_SHAPE(images, g->groups, g->of_group, field);
    pop_tensor parts = pop_tensor_dim_roll(pop_tensor_reshape(acts, cut), g->strided ? 1 : 2, 0);
    return pop_tensor_reshape(parts, POP_SHAPE(g->of_group, images * g->groups, field));
}
static pop_tensor from_groups(const struct grouping *g, pop_tensor grouped)
{
    const struct call *call = g->call;
    pop_tensor parts = pop_tensor_reshape(grouped, POP_SHAPE(g->of_group, g->dims[0], g->groups, field_of(g)));
    return pop_tensor_reshape(pop_tensor_dim_roll(parts, 0, g->strided ? 1 : 2), (pop_shape){ g->rank, g->dims });
}

void popnn_group_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                    pop_program sequence, size_t groups, bool unbiased_variance, bool stable,
                                    pop_type partials_type, const char *name, pop_options options, pop_tensor *mean,
                                    pop_tensor *inv_std_dev)
{
    POPLIBS_CALL_IN(sequence, graph, acts, eps, groups, unbiased_variance, stable, log_type(partials_type), name,
                    options);
    struct grouping g;
    pop_tensor unwanted;
    mean = mean ? mean : &unwanted;
    inv_std_dev = inv_std_dev ? inv_std_dev : &unwanted;
    *mean = *inv_std_dev = (pop_tensor){ 0 };
    if (!open_groups(call, &g, acts, groups, acts))
        return;
    struct host_statistics host = { call, acts, eps, unbiased_variance, stable };
    if (g.groups == 1 && partials_type == POP_FLOAT && eps >= 0 && host_norm_measures(&host))
        host_norm_statistics(&host, mean, inv_std_dev);
    else
        poplin_norm_statistics(graph, to_groups(&g, acts), eps, sequence, unbiased_variance, stable, partials_type,
                               name, POP_NO_OPTIONS, mean, inv_std_dev);
}
void popnn_layer_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                    pop_program sequence, bool unbiased_variance, bool stable, pop_type partials_type,
                                    const char *name, pop_options options, pop_tensor *mean, pop_tensor *inv_std_dev)
{
    POPLIBS_CALL_IN(sequence, graph, acts, eps, unbiased_variance, stable, log_type(partials_type), name, options);
    popnn_group_norm_statistics(graph, acts, eps, sequence, 1, unbiased_variance, stable, partials_type, name, options,
                                mean, inv_std_dev);
}
void popnn_instance_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                       pop_program sequence, bool unbiased_variance, bool stable,
                                       pop_type partials_type, const char *name, pop_options options, pop_tensor *mean,
                                       pop_tensor *inv_std_dev)
{
    POPLIBS_CALL_IN(sequence, graph, acts, eps, unbiased_variance, stable, log_type(partials_type), name, options);
    size_t channels = pop_tensor_rank(acts) < 2 ? 1 : pop_tensor_dim(acts, 1);
    popnn_group_norm_statistics(graph, acts, eps, sequence, channels, unbiased_variance, stable, partials_type, name,
                                options, mean, inv_std_dev);
}

pop_tensor popnn_group_norm_whiten_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor mean,
                                      pop_tensor inv_std_dev, pop_program sequence, const char *name,
                                      pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, acts, mean, inv_std_dev, name, options);
    struct grouping g;
    if (!open_groups(call, &g, acts, SIZE_MAX, mean))
        return (pop_tensor){ 0 };
    pop_tensor made = poplin_norm_whiten(graph, to_groups(&g, acts), mean, inv_std_dev, sequence, name, POP_NO_OPTIONS);
    return call_ready(call) ? from_groups(&g, made) : made;
}
pop_tensor popnn_group_normalise_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor gamma,
                                    pop_tensor beta, pop_tensor mean, pop_tensor inv_std_dev, pop_program sequence,
                                    const char *name, pop_options options, pop_tensor *whitened)
{
    POPLIBS_CALL_IN(sequence, graph, acts, gamma, beta, mean, inv_std_dev, name, options);
    struct host_norm host = { call, acts, gamma, beta, mean, inv_std_dev };
    struct grouping g;
    if (host_norm_serves(&host))
        return open_groups(call, &g, acts, SIZE_MAX, mean) ? host_norm_normalise(&host, whitened) : (pop_tensor){ 0 };
    pop_tensor white = popnn_group_norm_whiten(graph, acts, mean, inv_std_dev, sequence, name, options);
    if (whitened)
        *whitened = white;
    return poplin_normalise(graph, white, gamma, beta, sequence, name, POP_NO_OPTIONS);
}

pop_tensor popnn_group_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                         pop_tensor inv_std_dev, pop_tensor gamma, pop_program sequence,
                                         pop_type partials_type, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, whitened, grads, inv_std_dev, gamma, log_type(partials_type), name, options);
    struct grouping g;
    pop_tensor none = { 0 };
    if (!open_groups(call, &g, whitened, SIZE_MAX, inv_std_dev))
        return none;
    if (!poplibs_shapes_equal(whitened, grads)) {
        call_fail(call, POP_POPLAR_ERROR, "the whitened activations and the gradients differ in shape");
        return none;
    }
    pop_tensor scaled = poplin_norm_gradients(graph, grads, gamma, sequence, name, POP_NO_OPTIONS);
    if (!call_ready(call))
        return none;
    pop_tensor made = poplin_norm_statistics_gradients(graph, to_groups(&g, whitened), to_groups(&g, scaled),
                                                       inv_std_dev, sequence, partials_type, name, POP_NO_OPTIONS);
    return call_ready(call) ? from_groups(&g, made) : none;
}
void popnn_group_norm_param_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                         pop_program sequence, pop_type partials_type, const char *name,
                                         pop_options options, pop_tensor *gamma_delta, pop_tensor *beta_delta)
{
    POPLIBS_CALL_IN(sequence, graph, whitened, grads, log_type(partials_type), name, options);
    struct grouping g;
    pop_tensor unwanted;
    gamma_delta = gamma_delta ? gamma_delta : &unwanted;
    beta_delta = beta_delta ? beta_delta : &unwanted;
    *gamma_delta = *beta_delta = (pop_tensor){ 0 };
    if (open_groups(call, &g, whitened, 1, whitened))
        poplin_norm_param_gradients(graph, whitened, grads, sequence, partials_type, name, POP_NO_OPTIONS, gamma_delta,
                                    beta_delta);
}
