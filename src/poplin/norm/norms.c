/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/log.h"
#include "poplibs/norm_options.h"

#include <poplin/norms.h>
#include <popops/cast.h>
#include <popops/collectives.h>
#include <popops/element_wise.h>
#include <popops/reduce.h>
#include <poputil/tile_mapping.h>

#include <math.h>

/* Replicas that share a batch: their number, and the callback that sums over them (NULL: popops). */
struct sharing {
    unsigned members;
    poplin_norm_reduce reduce;
    void *context;
};

/* The arguments that all calls share. */
struct norm {
    pop_where where;
    pop_graph *graph;
    pop_program sequence;
    const char *api;
    struct sharing sharing;
    char name[POPLIBS_PATH_SIZE];
};

static bool check_acts(const struct norm *norm, pop_tensor acts)
{
    pop_type type = pop_tensor_type(acts);
    if (!poplibs_is_operand(norm->graph, norm->where, norm->api, "the tensor of activations", acts))
        return false;
    if (pop_tensor_rank(acts) < 2)
        return poplibs_fail(norm->graph, POP_POPLAR_ERROR, norm->where, norm->api,
                            "activations have %zu dimensions; batch and channels are needed", pop_tensor_rank(acts));
    if (type != POP_HALF && type != POP_FLOAT)
        return poplibs_fail(norm->graph, POP_TYPE_ERROR, norm->where, norm->api,
                            "activations have type %s; half and float are allowed", pop_type_name(type));
    return true;
}
static bool check_channels(const struct norm *norm, pop_tensor acts, pop_tensor t, const char *what)
{
    char seen[128];
    size_t dims[8];
    if (!poplibs_is_operand(norm->graph, norm->where, norm->api, what, t))
        return false;
    if (pop_tensor_rank(t) == 1 && pop_tensor_dim(t, 0) == pop_tensor_dim(acts, 1))
        return true;
    return poplibs_fail(
        norm->graph, POP_POPLAR_ERROR, norm->where, norm->api, "%s has shape %s; the activations' channels are %zu",
        what, poplibs_shape_text(seen, sizeof(seen), (pop_shape){ poplibs_min(pop_tensor_shape(t, dims, 8), 8), dims }),
        pop_tensor_dim(acts, 1));
}

static bool begin(struct norm *norm, pop_where where, pop_graph *graph, const char *api, pop_tensor acts,
                  pop_program sequence, const char *name, const char *step, pop_options options)
{
    if (!poplibs_ready(graph))
        return false;
    *norm = (struct norm){ where, graph, sequence, api, { .members = 1 }, "" };
    poplibs_path(norm->name, sizeof(norm->name), name, step);
    return poplibs_take_plain_norm_options(where, graph, api, options) && check_acts(norm, acts);
}
static bool check_partials(const struct norm *norm, pop_type partials_type)
{
    return partials_type == POP_HALF || partials_type == POP_FLOAT ||
           poplibs_fail(norm->graph, POP_TYPE_ERROR, norm->where, norm->api,
                        "partials_type is %s; half and float are allowed", pop_type_name(partials_type));
}

/* Checks that both result pointers are valid, and sets them to null tensors. */
static bool check_places(pop_where where, pop_graph *graph, const char *api, pop_tensor *first, pop_tensor *second)
{
    if (!first || !second)
        return poplibs_ready(graph) &&
               poplibs_fail(graph, POP_POPLAR_ERROR, where, api, "the pointer to a result is NULL");
    *first = *second = (pop_tensor){ 0 };
    return true;
}

/* ---- operations ---- */

static pop_tensor binary(const struct norm *norm, popops_binary_op op, pop_tensor a, pop_tensor b)
{
    return popops_binary_at(norm->where, op, norm->graph, popops_operand_of_tensor(a), popops_operand_of_tensor(b),
                            norm->sequence, norm->name);
}
static pop_tensor scaled(const struct norm *norm, pop_tensor a, double factor)
{
    return popops_binary_at(norm->where, POPOPS_BINARY_MULTIPLY, norm->graph, popops_operand_of_tensor(a),
                            popops_operand_of_double(factor), norm->sequence, norm->name);
}
static void in_place(const struct norm *norm, popops_binary_op op, pop_tensor a, pop_tensor b)
{
    popops_binary_in_place_at(norm->where, op, norm->graph, popops_operand_of_tensor(a), popops_operand_of_tensor(b),
                              norm->sequence, norm->name);
}
/* Computations use the layout {batch, field..., channels}: there {channels} broadcasts, and operands of convolutions
 * have runs of contiguous channels, which are fewer pieces than single elements. */
enum { MAX_DIMS = 32 };
static pop_tensor channels_last(const struct norm *norm, pop_tensor acts)
{
    unsigned order[MAX_DIMS] = { 0 };
    size_t rank = poplibs_min(pop_tensor_rank(acts), MAX_DIMS);
    for (unsigned d = 1; d < rank; ++d)
        order[d] = d + 1 < rank ? d + 1 : 1;
    return pop_tensor_dim_shuffle_at(norm->where, acts, (pop_dims){ rank, order });
}
static pop_tensor channels_second(const struct norm *norm, pop_tensor acts)
{
    unsigned order[MAX_DIMS] = { 0 };
    size_t rank = poplibs_min(pop_tensor_rank(acts), MAX_DIMS);
    for (unsigned d = 1; d < rank; ++d)
        order[d] = d > 1 ? d - 1 : (unsigned)rank - 1;
    return pop_tensor_dim_shuffle_at(norm->where, acts, (pop_dims){ rank, order });
}
static pop_tensor as_type(const struct norm *norm, pop_tensor t, pop_type type)
{
    return pop_tensor_type(t) == type ? t
                                      : popops_cast_at(norm->where, norm->graph, t, type, norm->sequence, norm->name);
}

/* Sums over all dimensions but the channels, which are last, multiplied by a factor. */
static pop_tensor sums(const struct norm *norm, pop_tensor acts, popops_operation op, double factor,
                       pop_type partials_type, pop_type type)
{
    unsigned dims[MAX_DIMS], count = 0;
    pop_tensor scale =
        pop_graph_add_constant_float_at(norm->where, norm->graph, POP_FLOAT, POP_SHAPE(1), factor, "factor");
    pop_graph_set_tile_mapping_at(norm->where, norm->graph, scale, 0);
    for (; count + 1 < pop_tensor_rank(acts) && count < MAX_DIMS; ++count)
        dims[count] = count;
    const char *partials = pop_type_name(partials_type);
    return popops_reduce_at(norm->where, norm->graph, acts, type, (pop_dims){ count, dims },
                            (popops_reduce_params){ op, false, scale }, norm->sequence, norm->name,
                            POP_OPTIONS({ "accumType.inVertex", partials }, { "accumType.interTile", partials }));
}
static double elements_of_channel(pop_tensor acts)
{
    size_t channels = pop_tensor_dim(acts, pop_tensor_rank(acts) - 1);
    return channels ? (double)(pop_tensor_num_elements(acts) / channels) : 0;
}

/* ---- batches that are distributed over replicas ---- */

/* Sets norm->sharing for a batch of norm_batch_size images, of which acts has this replica's part. */
static bool share(struct norm *norm, pop_tensor acts, unsigned norm_batch_size, poplin_norm_reduce reduce,
                  void *context)
{
    size_t batch = pop_tensor_dim(acts, 0);
    unsigned replicas = pop_graph_replication_factor(norm->graph);
    if (!norm_batch_size || !batch || norm_batch_size % batch)
        return poplibs_fail(norm->graph, POP_POPLAR_ERROR, norm->where, norm->api,
                            "normBatchSize is %u and the activations' batch %zu: it must be a multiple of the batch",
                            norm_batch_size, batch);
    norm->sharing = (struct sharing){ (unsigned)(norm_batch_size / batch), reduce, context };
    return replicas % norm->sharing.members == 0 ||
           poplibs_fail(norm->graph, POP_POPLAR_ERROR, norm->where, norm->api,
                        "normBatchSize is %u and the activations' batch %zu: groups of %u replicas do not divide the "
                        "graph's %u",
                        norm_batch_size, batch, norm->sharing.members, replicas);
}

/* Sums all tensors in one all-reduce of popops. */
static void reduce_together(const struct norm *norm, pop_tensor *tensors, size_t count)
{
    size_t each = pop_tensor_num_elements(tensors[0]);
    pop_tensor all = popops_group_all_reduce_at(
        norm->where, norm->graph, pop_tensor_concat_at(norm->where, (pop_tensors){ count, tensors }, 0),
        POPOPS_COLLECTIVE_ADD, (popops_replica_group){ POPOPS_GROUP_CONSECUTIVE, norm->sharing.members, 1 },
        norm->sequence, norm->name, POP_NO_OPTIONS);
    for (size_t i = 0; i < count && poplibs_ready(norm->graph); ++i)
        tensors[i] = pop_tensor_slice_at(norm->where, all, i * each, (i + 1) * each, 0);
}

/* Replaces sums over a replica's batch, tensors {channels}, by the sums over all replicas that share the batch. */
static void add_up(const struct norm *norm, pop_tensor *tensors, size_t count)
{
    enum { MAX_COUNT = 2 };
    pop_tensor given[MAX_COUNT];
    if (norm->sharing.members == 1 || !poplibs_ready(norm->graph))
        return;
    if (!norm->sharing.reduce) {
        reduce_together(norm, tensors, count);
        return;
    }
    memcpy(given, tensors, count * sizeof(*given));
    norm->sharing.reduce(norm->sharing.context, norm->graph, tensors, count, norm->sequence, norm->sharing.members,
                         norm->name);
    for (size_t i = 0; i < count && poplibs_ready(norm->graph); ++i)
        if (poplibs_is_operand(norm->graph, norm->where, norm->api, "the result of the reduce callback", tensors[i]) &&
            (!poplibs_shapes_equal(given[i], tensors[i]) || pop_tensor_type(given[i]) != pop_tensor_type(tensors[i])))
            poplibs_fail(
                norm->graph, POP_POPLAR_ERROR, norm->where, norm->api,
                "the reduce callback returned a tensor whose shape or type differs from those of its argument");
}

/* ---- parameters ---- */

static pop_tensor new_param(pop_where where, pop_graph *graph, const char *api, pop_tensor acts, pop_type type,
                            const char *name, const char *step, double value)
{
    struct norm norm;
    if (!begin(&norm, where, graph, api, acts, (pop_program){ 0 }, name, step, POP_NO_OPTIONS))
        return (pop_tensor){ 0 };
    pop_tensor made = poputil_create_broadcast_operand_at(
        where, graph, acts, type == POP_TYPE_NULL ? pop_tensor_type(acts) : type, 1, true, norm.name);
    if (poplibs_ready(graph))
        pop_graph_set_initial_fill_at(where, graph, made, POP_DOUBLE, &value);
    return made;
}
pop_tensor poplin_create_norm_gamma_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_type type,
                                       const char *name)
{
    POPLIBS_CALL(graph, acts, log_type(type), name);
    return new_param(where, graph, "poplin_create_norm_gamma", acts, type, name, "gamma", 1);
}
pop_tensor poplin_create_norm_beta_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_type type,
                                      const char *name)
{
    POPLIBS_CALL(graph, acts, log_type(type), name);
    return new_param(where, graph, "poplin_create_norm_beta", acts, type, name, "beta", 0);
}
void poplin_create_norm_params_at(pop_where where, pop_graph *graph, pop_tensor acts, const char *name,
                                  pop_tensor *gamma, pop_tensor *beta)
{
    POPLIBS_CALL(graph, acts, name);
    if (!check_places(where, graph, "poplin_create_norm_params", gamma, beta))
        return;
    *gamma = new_param(where, graph, "poplin_create_norm_params", acts, POP_TYPE_NULL, name, "gamma", 1);
    *beta = new_param(where, graph, "poplin_create_norm_params", acts, POP_TYPE_NULL, name, "beta", 0);
}

/* ---- forward ---- */

static void make_statistics(const struct norm *norm, pop_tensor acts, double eps, bool unbiased, bool stable,
                            pop_type partials_type, pop_tensor *mean, pop_tensor *inverse)
{
    double count = fmax(elements_of_channel(acts) * norm->sharing.members, 1),
           factor = count > 1 && unbiased ? count / (count - 1) : 1;
    pop_tensor sum[2] = { sums(norm, acts, POPOPS_ADD, 1 / count, partials_type, POP_FLOAT) };
    if (stable) {
        add_up(norm, sum, 1);
        *mean = as_type(norm, sum[0], pop_tensor_type(acts));
        pop_tensor centred = binary(norm, POPOPS_BINARY_SUBTRACT, acts, *mean);
        sum[1] = sums(norm, centred, POPOPS_SQUARE_ADD, factor / count, partials_type, POP_FLOAT);
        add_up(norm, sum + 1, 1);
    } else {
        sum[1] = sums(norm, acts, POPOPS_SQUARE_ADD, factor / count, partials_type, POP_FLOAT);
        add_up(norm, sum, 2);
        *mean = as_type(norm, sum[0], pop_tensor_type(acts));
        in_place(norm, POPOPS_BINARY_SUBTRACT, sum[1],
                 scaled(norm, binary(norm, POPOPS_BINARY_MULTIPLY, sum[0], sum[0]), factor));
        /* rounding may give a negative variance */
        popops_binary_in_place_at(norm->where, POPOPS_BINARY_MAXIMUM, norm->graph, popops_operand_of_tensor(sum[1]),
                                  popops_operand_of_double(0), norm->sequence, norm->name);
    }
    popops_binary_in_place_at(norm->where, POPOPS_BINARY_ADD, norm->graph, popops_operand_of_tensor(sum[1]),
                              popops_operand_of_double(eps), norm->sequence, norm->name);
    popops_unary_in_place_at(norm->where, POPOPS_UNARY_RSQRT, norm->graph, sum[1], norm->sequence, norm->name);
    *inverse = as_type(norm, sum[1], pop_tensor_type(acts));
}

static void statistics(const struct norm *norm, pop_tensor acts, double eps, bool unbiased, bool stable,
                       pop_type partials_type, pop_tensor *mean, pop_tensor *inverse)
{
    if (!check_partials(norm, partials_type))
        return;
    if (!(eps >= 0))
        poplibs_fail(norm->graph, POP_POPLAR_ERROR, norm->where, norm->api, "eps is %g; it cannot be negative", eps);
    else
        make_statistics(norm, channels_last(norm, acts), eps, unbiased, stable, partials_type, mean, inverse);
}

void poplin_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps, pop_program sequence,
                               bool unbiased_variance, bool stable, pop_type partials_type, const char *name,
                               pop_options options, pop_tensor *mean, pop_tensor *inv_std_dev)
{
    POPLIBS_CALL(graph, acts, eps, unbiased_variance, stable, log_type(partials_type), name, options);
    struct norm norm;
    if (check_places(where, graph, "poplin_norm_statistics", mean, inv_std_dev) &&
        begin(&norm, where, graph, "poplin_norm_statistics", acts, sequence, name, "Norm/statistics", options))
        statistics(&norm, acts, eps, unbiased_variance, stable, partials_type, mean, inv_std_dev);
}

void poplin_distributed_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                           pop_program sequence, bool unbiased_variance, poplin_norm_reduce reduce,
                                           void *context, unsigned norm_batch_size, bool stable, pop_type partials_type,
                                           const char *name, pop_options options, pop_tensor *mean,
                                           pop_tensor *inv_std_dev)
{
    POPLIBS_CALL(graph, acts, eps, unbiased_variance, norm_batch_size, stable, log_type(partials_type), name, options);
    static const char api[] = "poplin_distributed_norm_statistics";
    struct norm norm;
    if (check_places(where, graph, api, mean, inv_std_dev) &&
        begin(&norm, where, graph, api, acts, sequence, name, "Norm/statistics", options) &&
        share(&norm, acts, norm_batch_size, reduce, context))
        statistics(&norm, acts, eps, unbiased_variance, stable, partials_type, mean, inv_std_dev);
}

pop_tensor poplin_norm_whiten_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor mean,
                                 pop_tensor inv_std_dev, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, acts, mean, inv_std_dev, name, options);
    struct norm norm;
    if (!begin(&norm, where, graph, "poplin_norm_whiten", acts, sequence, name, "Norm/whiten", options) ||
        !check_channels(&norm, acts, mean, "mean") || !check_channels(&norm, acts, inv_std_dev, "inv_std_dev"))
        return (pop_tensor){ 0 };
    pop_tensor made = binary(&norm, POPOPS_BINARY_SUBTRACT, channels_last(&norm, acts), mean);
    in_place(&norm, POPOPS_BINARY_MULTIPLY, made, inv_std_dev);
    return channels_second(&norm, made);
}

pop_tensor poplin_normalise_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor gamma,
                               pop_tensor beta, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, whitened, gamma, beta, name, options);
    struct norm norm;
    if (!begin(&norm, where, graph, "poplin_normalise", whitened, sequence, name, "Norm/normalise", options) ||
        !check_channels(&norm, whitened, gamma, "gamma") || !check_channels(&norm, whitened, beta, "beta"))
        return (pop_tensor){ 0 };
    pop_tensor made = binary(&norm, POPOPS_BINARY_MULTIPLY, channels_last(&norm, whitened), gamma);
    in_place(&norm, POPOPS_BINARY_ADD, made, beta);
    return channels_second(&norm, made);
}

/* ---- backward ---- */

static bool check_same_layout(const struct norm *norm, pop_tensor a, pop_tensor b)
{
    size_t first[32], second[32], rank = pop_tensor_shape(a, first, 32);
    if (!poplibs_is_operand(norm->graph, norm->where, norm->api, "the tensor of gradients", b))
        return false;
    if (pop_tensor_shape(b, second, 32) == rank && memcmp(first, second, poplibs_min(rank, 32) * sizeof(*first)) == 0 &&
        pop_tensor_type(a) == pop_tensor_type(b))
        return true;
    return poplibs_fail(norm->graph, POP_POPLAR_ERROR, norm->where, norm->api,
                        "the whitened activations and the gradients differ in shape or type");
}

void poplin_norm_param_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                    pop_program sequence, pop_type partials_type, const char *name, pop_options options,
                                    pop_tensor *gamma_delta, pop_tensor *beta_delta)
{
    POPLIBS_CALL(graph, whitened, grads, log_type(partials_type), name, options);
    struct norm norm;
    if (!check_places(where, graph, "poplin_norm_param_gradients", gamma_delta, beta_delta) ||
        !begin(&norm, where, graph, "poplin_norm_param_gradients", whitened, sequence, name, "Norm/deltas", options) ||
        !check_partials(&norm, partials_type) || !check_same_layout(&norm, whitened, grads))
        return;
    whitened = channels_last(&norm, whitened);
    grads = channels_last(&norm, grads);
    pop_tensor products = binary(&norm, POPOPS_BINARY_MULTIPLY, whitened, grads);
    *gamma_delta = sums(&norm, products, POPOPS_ADD, 1, partials_type, pop_tensor_type(grads));
    *beta_delta = sums(&norm, grads, POPOPS_ADD, 1, partials_type, pop_tensor_type(grads));
}

pop_tensor poplin_norm_gradients_at(pop_where where, pop_graph *graph, pop_tensor grads, pop_tensor gamma,
                                    pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL(graph, grads, gamma, name, options);
    struct norm norm;
    if (!begin(&norm, where, graph, "poplin_norm_gradients", grads, sequence, name, "Norm/gradients", options) ||
        !check_channels(&norm, grads, gamma, "gamma"))
        return (pop_tensor){ 0 };
    return channels_second(&norm, binary(&norm, POPOPS_BINARY_MULTIPLY, channels_last(&norm, grads), gamma));
}

static pop_tensor statistics_gradients(const struct norm *norm, pop_tensor whitened, pop_tensor grads,
                                       pop_tensor inv_std_dev, pop_type partials_type)
{
    if (!check_partials(norm, partials_type) || !check_same_layout(norm, whitened, grads) ||
        !check_channels(norm, whitened, inv_std_dev, "inv_std_dev"))
        return (pop_tensor){ 0 };
    whitened = channels_last(norm, whitened);
    grads = channels_last(norm, grads);
    double count = fmax(elements_of_channel(grads) * norm->sharing.members, 1);
    pop_type type = pop_tensor_type(grads);
    pop_tensor products = binary(norm, POPOPS_BINARY_MULTIPLY, whitened, grads);
    pop_tensor means[2] = { sums(norm, products, POPOPS_ADD, -1 / count, partials_type, type),
                            sums(norm, grads, POPOPS_ADD, -1 / count, partials_type, type) };
    add_up(norm, means, 2);
    pop_tensor made = binary(norm, POPOPS_BINARY_MULTIPLY, whitened, means[0]);
    in_place(norm, POPOPS_BINARY_ADD, made, grads);
    in_place(norm, POPOPS_BINARY_ADD, made, means[1]);
    in_place(norm, POPOPS_BINARY_MULTIPLY, made, inv_std_dev);
    return channels_second(norm, made);
}

pop_tensor poplin_norm_statistics_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                               pop_tensor inv_std_dev, pop_program sequence, pop_type partials_type,
                                               const char *name, pop_options options)
{
    POPLIBS_CALL(graph, whitened, grads, inv_std_dev, log_type(partials_type), name, options);
    struct norm norm;
    return begin(&norm, where, graph, "poplin_norm_statistics_gradients", whitened, sequence, name,
                 "Norm/statisticsGradients", options)
               ? statistics_gradients(&norm, whitened, grads, inv_std_dev, partials_type)
               : (pop_tensor){ 0 };
}

pop_tensor poplin_distributed_norm_statistics_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened,
                                                           pop_tensor grads, pop_tensor inv_std_dev,
                                                           pop_program sequence, poplin_norm_reduce reduce,
                                                           void *context, unsigned norm_batch_size,
                                                           pop_type partials_type, const char *name,
                                                           pop_options options)
{
    POPLIBS_CALL(graph, whitened, grads, inv_std_dev, norm_batch_size, log_type(partials_type), name, options);
    struct norm norm;
    return begin(&norm, where, graph, "poplin_distributed_norm_statistics_gradients", whitened, sequence, name,
                 "Norm/statisticsGradients", options) &&
                   share(&norm, whitened, norm_batch_size, reduce, context)
               ? statistics_gradients(&norm, whitened, grads, inv_std_dev, partials_type)
               : (pop_tensor){ 0 };
}
