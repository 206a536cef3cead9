/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/elements.h"
#include "poplibs/log.h"
#include "poplibs/norm_options.h"

#include <poplin/norms.h>
#include <popops/cast.h>
#include <popops/collectives.h>
#include <popops/element_wise.h>
#include <popops/reduce.h>
#include <popops/scaled_add.h>
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
    const struct call *call;
    struct sharing sharing;
    const char *name;
};

static bool check_acts(const struct norm *norm, pop_tensor acts)
{
    pop_type type = pop_tensor_type(acts);
    if (!call_takes(norm->call, "the tensor of activations", acts))
        return false;
    if (pop_tensor_rank(acts) < 2)
        return call_fail(norm->call, POP_POPLAR_ERROR, "activations have %zu dimensions; batch and channels are needed",
                         pop_tensor_rank(acts));
    if (type != POP_HALF && type != POP_FLOAT)
        return call_fail(norm->call, POP_TYPE_ERROR, "activations have type %s; half and float are allowed",
                         pop_type_name(type));
    return true;
}
static bool check_channels(const struct norm *norm, pop_tensor acts, pop_tensor t, const char *what)
{
    char seen[128];
    size_t dims[8];
    if (!call_takes(norm->call, what, t))
        return false;
    if (pop_tensor_rank(t) == 1 && pop_tensor_dim(t, 0) == pop_tensor_dim(acts, 1))
        return true;
    return call_fail(
        norm->call, POP_POPLAR_ERROR, "%s has shape %s; the activations' channels are %zu", what,
        poplibs_shape_text(seen, sizeof(seen), (pop_shape){ poplibs_min(pop_tensor_shape(t, dims, 8), 8), dims }),
        pop_tensor_dim(acts, 1));
}

static bool begin(const struct call *call, struct norm *norm, pop_tensor acts, const char *step)
{
    if (!call_ready(call))
        return false;
    *norm = (struct norm){ call, { .members = 1 }, call_path(call, call->name, step) };
    return call_takes_plain_norm_options(call) && check_acts(norm, acts);
}
static bool check_partials(const struct norm *norm, pop_type partials_type)
{
    return partials_type == POP_HALF || partials_type == POP_FLOAT ||
           call_fail(norm->call, POP_TYPE_ERROR, "partials_type is %s; half and float are allowed",
                     pop_type_name(partials_type));
}

/* Checks that both result pointers are valid, and sets them to null tensors. */
static bool check_places(const struct call *call, pop_tensor *first, pop_tensor *second)
{
    if (!first || !second)
        return call_ready(call) && call_fail(call, POP_POPLAR_ERROR, "the pointer to a result is NULL");
    *first = *second = (pop_tensor){ 0 };
    return true;
}

/* ---- operations ---- */

static pop_tensor binary(const struct norm *norm, popops_binary_op op, pop_tensor a, pop_tensor b)
{
    return popops_binary_at(norm->call->where, op, norm->call->graph, popops_operand_of_tensor(a),
                            popops_operand_of_tensor(b), norm->call->sequence, norm->name);
}
static pop_tensor scaled(const struct norm *norm, pop_tensor a, double factor)
{
    return popops_binary_at(norm->call->where, POPOPS_BINARY_MULTIPLY, norm->call->graph, popops_operand_of_tensor(a),
                            popops_operand_of_double(factor), norm->call->sequence, norm->name);
}
static void in_place(const struct norm *norm, popops_binary_op op, pop_tensor a, pop_tensor b)
{
    popops_binary_in_place_at(norm->call->where, op, norm->call->graph, popops_operand_of_tensor(a),
                              popops_operand_of_tensor(b), norm->call->sequence, norm->name);
}
/* Computations use the layout {batch, field..., channels}: there {channels} broadcasts, and operands of convolutions
 * have runs of contiguous channels, which are fewer pieces than single elements. */
enum { MAX_DIMS = 32 };
static pop_tensor channels_last(const struct norm *norm, pop_tensor acts)
{
    const struct call *call = norm->call;
    unsigned order[MAX_DIMS] = { 0 };
    size_t rank = poplibs_min(pop_tensor_rank(acts), MAX_DIMS);
    for (unsigned d = 1; d < rank; ++d)
        order[d] = d + 1 < rank ? d + 1 : 1;
    return pop_tensor_dim_shuffle(acts, (pop_dims){ rank, order });
}
static pop_tensor channels_second(const struct norm *norm, pop_tensor acts)
{
    const struct call *call = norm->call;
    unsigned order[MAX_DIMS] = { 0 };
    size_t rank = poplibs_min(pop_tensor_rank(acts), MAX_DIMS);
    for (unsigned d = 1; d < rank; ++d)
        order[d] = d > 1 ? d - 1 : (unsigned)rank - 1;
    return pop_tensor_dim_shuffle(acts, (pop_dims){ rank, order });
}
static pop_tensor as_type(const struct norm *norm, pop_tensor t, pop_type type)
{
    const struct call *call = norm->call;
    return pop_tensor_type(t) == type ? t : popops_cast(call->graph, t, type, call->sequence, norm->name);
}

/* Sums over all dimensions but the channels, which are last, multiplied by a factor. */
static pop_tensor sums(const struct norm *norm, pop_tensor acts, popops_operation op, double factor,
                       pop_type partials_type, pop_type type)
{
    const struct call *call = norm->call;
    unsigned dims[MAX_DIMS], count = 0;
    pop_tensor scale = pop_graph_add_constant_float(call->graph, POP_FLOAT, POP_SHAPE(1), factor, "factor");
    pop_graph_set_tile_mapping(call->graph, scale, 0);
    for (; count + 1 < pop_tensor_rank(acts) && count < MAX_DIMS; ++count)
        dims[count] = count;
    const char *partials = pop_type_name(partials_type);
    return popops_reduce(call->graph, acts, type, (pop_dims){ count, dims }, (popops_reduce_params){ op, false, scale },
                         call->sequence, norm->name,
                         POP_OPTIONS({ "accumType.inVertex", partials }, { "accumType.interTile", partials }));
}
static double elements_of_channel(pop_tensor acts)
{
    size_t channels = pop_tensor_dim(acts, pop_tensor_rank(acts) - 1);
    return channels ? (double)(pop_tensor_num_elements(acts) / channels) : 0;
}

/* ---- batches that are distributed over replicas ---- */

/* Sets norm->sharing for a batch of norm_batch_size images, of which acts has this replica's part: none for a batch
 * that the replica has whole.  A callback knows its replicas; without one they are the graph's. */
static bool share(struct norm *norm, pop_tensor acts, unsigned norm_batch_size, poplin_norm_reduce reduce,
                  void *context)
{
    size_t batch = pop_tensor_dim(acts, 0);
    unsigned replicas = pop_graph_replication_factor(norm->call->graph);
    if (norm_batch_size <= batch || !batch)
        return true;
    if (norm_batch_size % batch)
        return call_fail(norm->call, POP_POPLAR_ERROR,
                         "normBatchSize is %u and the activations' batch %zu: it must be a multiple of the batch",
                         norm_batch_size, batch);
    norm->sharing = (struct sharing){ (unsigned)(norm_batch_size / batch), reduce, context };
    return reduce || replicas % norm->sharing.members == 0 ||
           call_fail(norm->call, POP_POPLAR_ERROR,
                     "normBatchSize is %u and the activations' batch %zu: groups of %u replicas do not divide the "
                     "graph's %u",
                     norm_batch_size, batch, norm->sharing.members, replicas);
}

/* Sums all tensors in one all-reduce of popops. */
static void reduce_together(const struct norm *norm, pop_tensor *tensors, size_t count)
{
    const struct call *call = norm->call;
    size_t each = pop_tensor_num_elements(tensors[0]);
    pop_tensor all = popops_group_all_reduce(
        call->graph, pop_tensor_concat((pop_tensors){ count, tensors }, 0), POPOPS_COLLECTIVE_ADD,
        (popops_replica_group){ POPOPS_GROUP_CONSECUTIVE, norm->sharing.members, 1 }, call->sequence, norm->name,
        POP_NO_OPTIONS);
    for (size_t i = 0; i < count && call_ready(call); ++i)
        tensors[i] = pop_tensor_slice(all, i * each, (i + 1) * each, 0);
}

/* Replaces sums over a replica's batch, tensors {channels}, by the sums over all replicas that share the batch. */
static void add_up(const struct norm *norm, pop_tensor *tensors, size_t count)
{
    const struct call *call = norm->call;
    enum { MAX_COUNT = 2 };
    pop_tensor given[MAX_COUNT];
    if (norm->sharing.members == 1 || !call_ready(call))
        return;
    if (!norm->sharing.reduce) {
        reduce_together(norm, tensors, count);
        return;
    }
    memcpy(given, tensors, count * sizeof(*given));
    norm->sharing.reduce(norm->sharing.context, call->graph, tensors, count, call->sequence, norm->sharing.members,
                         norm->name);
    for (size_t i = 0; i < count && call_ready(call); ++i)
        if (call_takes(call, "the result of the reduce callback", tensors[i]) &&
            (!poplibs_shapes_equal(given[i], tensors[i]) || pop_tensor_type(given[i]) != pop_tensor_type(tensors[i])))
            call_fail(call, POP_POPLAR_ERROR,
                      "the reduce callback returned a tensor whose shape or type differs from those of its argument");
}

/* ---- parameters ---- */

static pop_tensor new_param(const struct call *call, pop_tensor acts, pop_type type, const char *step, double value)
{
    struct norm norm;
    if (!begin(call, &norm, acts, step))
        return (pop_tensor){ 0 };
    pop_tensor made = poputil_create_broadcast_operand(
        call->graph, acts, type == POP_TYPE_NULL ? pop_tensor_type(acts) : type, 1, true, norm.name);
    if (call_ready(call))
        pop_graph_set_initial_fill(call->graph, made, POP_DOUBLE, &value);
    return made;
}
pop_tensor poplin_create_norm_gamma_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_type type,
                                       const char *name)
{
    POPLIBS_CALL(graph, acts, log_type(type), name);
    return new_param(call, acts, type, "gamma", 1);
}
pop_tensor poplin_create_norm_beta_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_type type,
                                      const char *name)
{
    POPLIBS_CALL(graph, acts, log_type(type), name);
    return new_param(call, acts, type, "beta", 0);
}
void poplin_create_norm_params_at(pop_where where, pop_graph *graph, pop_tensor acts, const char *name,
                                  pop_tensor *gamma, pop_tensor *beta)
{
    POPLIBS_CALL(graph, acts, name);
    if (!check_places(call, gamma, beta))
        return;
    *gamma = new_param(call, acts, POP_TYPE_NULL, "gamma", 1);
    *beta = new_param(call, acts, POP_TYPE_NULL, "beta", 0);
}

/* ---- forward ---- */

static void make_statistics(const struct norm *norm, pop_tensor acts, double eps, bool unbiased, bool stable,
                            pop_type partials_type, pop_tensor *mean, pop_tensor *inverse)
{
    const struct call *call = norm->call;
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
        call_binary_in_place(call, POPOPS_BINARY_MAXIMUM, sum[1], popops_operand_of_double(0), norm->name);
    }
    call_binary_in_place(call, POPOPS_BINARY_ADD, sum[1], popops_operand_of_double(eps), norm->name);
    call_unary_in_place(call, POPOPS_UNARY_RSQRT, sum[1], norm->name);
    *inverse = as_type(norm, sum[1], pop_tensor_type(acts));
}

static void statistics(const struct norm *norm, pop_tensor acts, double eps, bool unbiased, bool stable,
                       pop_type partials_type, pop_tensor *mean, pop_tensor *inverse)
{
    if (!check_partials(norm, partials_type))
        return;
    if (!(eps >= 0))
        call_fail(norm->call, POP_POPLAR_ERROR, "eps is %g; it cannot be negative", eps);
    else
        make_statistics(norm, channels_last(norm, acts), eps, unbiased, stable, partials_type, mean, inverse);
}

void poplin_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps, pop_program sequence,
                               bool unbiased_variance, bool stable, pop_type partials_type, const char *name,
                               pop_options options, pop_tensor *mean, pop_tensor *inv_std_dev)
{
    POPLIBS_CALL_IN(sequence, graph, acts, eps, unbiased_variance, stable, log_type(partials_type), name, options);
    struct norm norm;
    if (check_places(call, mean, inv_std_dev) && begin(call, &norm, acts, "Norm/statistics"))
        statistics(&norm, acts, eps, unbiased_variance, stable, partials_type, mean, inv_std_dev);
}

void poplin_distributed_norm_statistics_at(pop_where where, pop_graph *graph, pop_tensor acts, double eps,
                                           pop_program sequence, bool unbiased_variance, poplin_norm_reduce reduce,
                                           void *context, unsigned norm_batch_size, bool stable, pop_type partials_type,
                                           const char *name, pop_options options, pop_tensor *mean,
                                           pop_tensor *inv_std_dev)
{
    POPLIBS_CALL_IN(sequence, graph, acts, eps, unbiased_variance, norm_batch_size, stable, log_type(partials_type),
                    name, options);
    struct norm norm;
    if (check_places(call, mean, inv_std_dev) && begin(call, &norm, acts, "Norm/statistics") &&
        share(&norm, acts, norm_batch_size, reduce, context))
        statistics(&norm, acts, eps, unbiased_variance, stable, partials_type, mean, inv_std_dev);
}

pop_tensor poplin_norm_whiten_at(pop_where where, pop_graph *graph, pop_tensor acts, pop_tensor mean,
                                 pop_tensor inv_std_dev, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, acts, mean, inv_std_dev, name, options);
    struct norm norm;
    if (!begin(call, &norm, acts, "Norm/whiten") || !check_channels(&norm, acts, mean, "mean") ||
        !check_channels(&norm, acts, inv_std_dev, "inv_std_dev"))
        return (pop_tensor){ 0 };
    pop_tensor made = binary(&norm, POPOPS_BINARY_SUBTRACT, channels_last(&norm, acts), mean);
    in_place(&norm, POPOPS_BINARY_MULTIPLY, made, inv_std_dev);
    return channels_second(&norm, made);
}

pop_tensor poplin_normalise_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor gamma,
                               pop_tensor beta, pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, whitened, gamma, beta, name, options);
    struct norm norm;
    if (!begin(call, &norm, whitened, "Norm/normalise") || !check_channels(&norm, whitened, gamma, "gamma") ||
        !check_channels(&norm, whitened, beta, "beta"))
        return (pop_tensor){ 0 };
    pop_tensor made = binary(&norm, POPOPS_BINARY_MULTIPLY, channels_last(&norm, whitened), gamma);
    in_place(&norm, POPOPS_BINARY_ADD, made, beta);
    return channels_second(&norm, made);
}

/* ---- backward ---- */

static bool check_same_layout(const struct norm *norm, pop_tensor a, pop_tensor b)
{
    size_t first[32], second[32], rank = pop_tensor_shape(a, first, 32);
    if (!call_takes(norm->call, "the tensor of gradients", b))
        return false;
    if (pop_tensor_shape(b, second, 32) == rank && memcmp(first, second, poplibs_min(rank, 32) * sizeof(*first)) == 0 &&
        pop_tensor_type(a) == pop_tensor_type(b))
        return true;
    return call_fail(norm->call, POP_POPLAR_ERROR,
                     "the whitened activations and the gradients differ in shape or type");
}

void poplin_norm_param_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                    pop_program sequence, pop_type partials_type, const char *name, pop_options options,
                                    pop_tensor *gamma_delta, pop_tensor *beta_delta)
{
    POPLIBS_CALL_IN(sequence, graph, whitened, grads, log_type(partials_type), name, options);
    struct norm norm;
    if (!check_places(call, gamma_delta, beta_delta) || !begin(call, &norm, whitened, "Norm/deltas") ||
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
    POPLIBS_CALL_IN(sequence, graph, grads, gamma, name, options);
    struct norm norm;
    if (!begin(call, &norm, grads, "Norm/gradients") || !check_channels(&norm, grads, gamma, "gamma"))
        return (pop_tensor){ 0 };
    return channels_second(&norm, binary(&norm, POPOPS_BINARY_MULTIPLY, channels_last(&norm, grads), gamma));
}

/* The two factors of 1 / count: half means of many small gradients would vanish, so that sums are scaled by a part of
 * it alone, which is what a callback gets; half represents the rest exactly. */
struct mean_scales {
    double of_sums, of_products;
};
static struct mean_scales scales_of(double count, pop_type type)
{
    double rest = pow(count, -0.25);
    uint16_t half;
    if (type == POP_HALF) {
        pop_convert(POP_DOUBLE, &rest, POP_HALF, &half, 1);
        pop_convert(POP_HALF, &half, POP_DOUBLE, &rest, 1);
    }
    return (struct mean_scales){ 1 / count / rest, rest };
}

static pop_tensor statistics_gradients(const struct norm *norm, pop_tensor whitened, pop_tensor grads,
                                       pop_tensor inv_std_dev, pop_type partials_type)
{
    if (!check_partials(norm, partials_type) || !check_same_layout(norm, whitened, grads) ||
        !check_channels(norm, whitened, inv_std_dev, "inv_std_dev"))
        return (pop_tensor){ 0 };
    whitened = channels_last(norm, whitened);
    grads = channels_last(norm, grads);
    pop_type type = pop_tensor_type(grads);
    struct mean_scales scales = scales_of(fmax(elements_of_channel(grads) * norm->sharing.members, 1), type);
    pop_tensor products = binary(norm, POPOPS_BINARY_MULTIPLY, whitened, grads);
    pop_tensor means[2] = { sums(norm, products, POPOPS_ADD, -scales.of_sums, partials_type, type),
                            sums(norm, grads, POPOPS_ADD, -scales.of_sums, partials_type, type) };
    add_up(norm, means, 2);
    pop_tensor made = binary(norm, POPOPS_BINARY_MULTIPLY, whitened, means[0]);
    in_place(norm, POPOPS_BINARY_ADD, made, means[1]);
    popops_scaled_add_both_constant_at(norm->call->where, norm->call->graph, made, scales.of_products, grads, 1,
                                       norm->call->sequence, POPOPS_SCALED_ADD_DEFAULT, norm->name, POP_NO_OPTIONS);
    in_place(norm, POPOPS_BINARY_MULTIPLY, made, inv_std_dev);
    return channels_second(norm, made);
}

pop_tensor poplin_norm_statistics_gradients_at(pop_where where, pop_graph *graph, pop_tensor whitened, pop_tensor grads,
                                               pop_tensor inv_std_dev, pop_program sequence, pop_type partials_type,
                                               const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, whitened, grads, inv_std_dev, log_type(partials_type), name, options);
    struct norm norm;
    return begin(call, &norm, whitened, "Norm/statisticsGradients")
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
    POPLIBS_CALL_IN(sequence, graph, whitened, grads, inv_std_dev, norm_batch_size, log_type(partials_type), name,
                    options);
    struct norm norm;
    return begin(call, &norm, whitened, "Norm/statisticsGradients") &&
                   share(&norm, whitened, norm_batch_size, reduce, context)
               ? statistics_gradients(&norm, whitened, grads, inv_std_dev, partials_type)
               : (pop_tensor){ 0 };
}
