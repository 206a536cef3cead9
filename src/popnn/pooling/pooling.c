/* SPDX-License-Identifier: Apache-2.0 */
/* The output is split into blocks, one for each tile, or part of a CPU device's work: some channels, some of the batch,
 * a box of the field (pooling_plan.c).  A block is one region in memory, and its inputs are gathered for its vertex. */
#include "popnn/pooling/pooling.h"
#include "poplibs/options.h"
#include "popnn/call_log.h"
#include "popnn/support.h"

#include <assert.h>
#include <popops/pad.h>
#include <poputil/var_structure.h>

const char *popnn_pooling_type_name(popnn_pooling_type type)
{
    static const char *const names[] = { "max", "avg", "sum" };
    return type <= POPNN_POOL_SUM ? names[type] : NULL;
}

/* ---- values derived from the parameters ---- */

static long long padded(const popnn_pool_params *params, unsigned dim)
{
    return (long long)params->input_field[dim] + params->padding_lower[dim] + params->padding_upper[dim];
}
void popnn_pool_output_field(const popnn_pool_params *params, size_t *output_field)
{
    for (unsigned i = 0; i < params->dims && i < POPNN_MAX_FIELD_DIMS; ++i) {
        long long positions = padded(params, i) - (long long)params->kernel[i];
        output_field[i] = positions < 0 || !params->stride[i] ? 0 : (size_t)positions / params->stride[i] + 1;
    }
}
uint64_t popnn_pool_fwd_flops(const popnn_pool_params *params)
{
    if (params->dims > POPNN_MAX_FIELD_DIMS)
        return 0;
    size_t out[POPNN_MAX_FIELD_DIMS];
    uint64_t flops = params->batch * params->channels;
    popnn_pool_output_field(params, out);
    for (unsigned i = 0; i < params->dims; ++i) {
        uint64_t covered = 0;
        for (size_t o = 0; o < out[i]; ++o) {
            long long begin = (long long)(o * params->stride[i]) - params->padding_lower[i],
                      end = begin + (long long)params->kernel[i];
            begin = begin < 0 ? 0 : begin;
            end = end > (long long)params->input_field[i] ? (long long)params->input_field[i] : end;
            covered += end > begin ? (uint64_t)(end - begin) : 0;
        }
        flops *= covered;
    }
    return flops;
}
uint64_t popnn_pool_bwd_flops(const popnn_pool_params *params)
{
    return popnn_pool_fwd_flops(params);
}
static double perfect_cycles(const pop_graph *graph, uint64_t flops, pop_type type)
{
    const pop_target *target = pop_graph_target(graph);
    unsigned tiles = pop_target_num_tiles(target), width = pop_target_vector_width(target, type);
    return (double)flops / ((double)tiles * (width ? width : 1));
}
double popnn_pool_fwd_perfect_cycle_count(const pop_graph *graph, const popnn_pool_params *params)
{
    return perfect_cycles(graph, popnn_pool_fwd_flops(params), params->data_type);
}
double popnn_pool_bwd_perfect_cycle_count(const pop_graph *graph, const popnn_pool_params *params)
{
    return perfect_cycles(graph, popnn_pool_bwd_flops(params), params->data_type);
}

/* ---- the graph ---- */

static const char *const read_names[] = { "in", "pooled", "gradient" };

/* Output elements whose windows overlap input elements [begin, end), or the reverse for backward. */
static pop_interval outputs_of(const struct pool *pool, unsigned i, pop_interval in)
{
    long long stride = pool->params->stride[i], kernel = (long long)pool->params->kernel[i],
              padding = pool->params->padding_lower[i];
    long long first = (long long)in.begin + padding - kernel + 1, last = (long long)in.end - 1 + padding;
    first = first <= 0 ? 0 : (first + stride - 1) / stride;
    last = last < 0 ? -1 : last / stride;
    last = last >= (long long)pool->out_field[i] ? (long long)pool->out_field[i] - 1 : last;
    return first > last ? (pop_interval){ 0, 0 } : (pop_interval){ (size_t)first, (size_t)last + 1 };
}
static pop_interval inputs_of(const struct pool *pool, unsigned i, pop_interval out)
{
    long long stride = pool->params->stride[i], padding = pool->params->padding_lower[i],
              size = (long long)pool->params->input_field[i];
    long long first = (long long)out.begin * stride - padding,
              end = ((long long)out.end - 1) * stride - padding + (long long)pool->params->kernel[i];
    first = first < 0 ? 0 : first;
    end = end > size ? size : end;
    return first >= end ? (pop_interval){ 0, 0 } : (pop_interval){ (size_t)first, (size_t)end };
}

struct builder {
    struct pool *pool;
    const struct pool_block *blocks;
    const unsigned *tiles; /* of the blocks */
    size_t next;
};

/* Connects a box of a tensor by groups, as work lists need it, or by rows of the innermost dimension of the field. */
static void connect_box(const struct pool *pool, pop_vertex vertex, const char *field, pop_tensor t,
                        const pop_interval *box, bool by_groups)
{
    const struct call *call = pool->call;
    unsigned dims = POOL_FIELD + pool->params->dims;
    for (unsigned i = 0; i < dims; ++i)
        t = pop_tensor_slice(t, box[i].begin, box[i].end, i);
    size_t length = pool->channels, count = 1;
    for (unsigned i = 0; i < dims; ++i)
        *(i + 1 == dims || (by_groups && i != POOL_GROUPS) ? &length : &count) *= box[i].end - box[i].begin;
    call_connect(call, vertex, field, pop_tensor_reshape(t, POP_SHAPE(count, length)));
}

/* here, there: the boxes of the output and of what it reads elsewhere. */
static pop_vertex add_vertex(const struct pool *pool, const struct pool_part *part, pop_tensor out,
                             const pop_interval *here, const pop_interval *there)
{
    const struct call *call = pool->call;
    pop_graph *graph = call->graph;
    bool listed = pool_is_listed(pool) && pool_can_list(part, pool->backward, pool->kind == POOL_MAX),
         sum = strncmp(pool->vertex, "Sum", 3) == 0;
    char type[64];
    snprintf(type, sizeof(type), "popnn::%s%s<%s>", listed && sum ? "SumPooling" : pool->vertex,
             listed ? "WorkList" : "", pop_type_name(pool->params->data_type));
    pop_vertex vertex = pop_graph_add_vertex(graph, pool->set, type);
    call_connect(call, vertex, "out", pop_tensor_flatten(out));
    for (size_t i = 0; i < 3; ++i)
        if (pop_tensor_type(pool->read[i]))
            connect_box(pool, vertex, listed && sum ? "in" : read_names[i], pool->read[i],
                        pool_reads_input(i) == pool->backward ? here : there, listed);
    if (listed) {
        pool_set_lists(call, vertex, part, pool->backward);
        return vertex;
    }
    int numbers[POOL_PART_INTS + 6 * POOL_DIM_INTS];
    memcpy(numbers, part, sizeof(numbers));
    pop_graph_set_field_vector(graph, vertex, POP_FIELD("part", POP_WHOLE), POP_INT, numbers, pool_ints(part->dims));
    if (sum)
        pop_graph_set_field_int(graph, vertex, "average", pool->params->type == POPNN_POOL_AVG);
    return vertex;
}

/* The boxes of the block with an index; false if the block has no elements. */
static bool find_block(const struct pool *pool, const size_t *sizes, const size_t *cuts, const size_t *index,
                       struct pool_block *block)
{
    unsigned dims = pool->params->dims;
    for (unsigned i = 0; i < POOL_FIELD + dims; ++i) {
        size_t size = poplibs_ceil_div(sizes[i], cuts[i]), begin = index[i] * size;
        if (begin >= sizes[i])
            return false;
        block->here[i] = block->there[i] = (pop_interval){ begin, poplibs_min(begin + size, sizes[i]) };
    }
    for (unsigned i = 0; i < dims; ++i)
        block->there[POOL_FIELD + i] = pool->backward ? outputs_of(pool, i, block->here[POOL_FIELD + i])
                                                      : inputs_of(pool, i, block->here[POOL_FIELD + i]);
    return true;
}
/* All blocks that have elements, in row-major order, at most `max`; the caller frees them. */
static struct pool_block *find_blocks(const struct pool *pool, const size_t *sizes, const size_t *cuts, size_t max,
                                      size_t *count)
{
    struct pool_block *blocks = poplibs_new(max, sizeof(*blocks));
    size_t index[POOL_MAX_CUTS] = { 0 };
    *count = 0;
    for (size_t i = 0; i < max && sizes[POOL_FIELD + pool->params->dims]; ++i) {
        *count += find_block(pool, sizes, cuts, index, &blocks[*count]);
        for (unsigned d = POOL_FIELD + pool->params->dims; d && ++index[d - 1] == cuts[d - 1]; --d)
            index[d - 1] = 0;
    }
    return blocks;
}

static bool add_block(pop_shape index, pop_tensor slice, void *user)
{
    struct builder *builder = user;
    struct pool *pool = builder->pool;
    const struct call *call = pool->call;
    pop_graph *graph = call->graph;
    unsigned dims = pool->params->dims;
    (void)index; /* blocks are in the same order */
    if (!pop_tensor_num_elements(slice))
        return true;
    const struct pool_block *block = &builder->blocks[builder->next];
    struct pool_part part = { (int)(block->here[POOL_GROUPS].end - block->here[POOL_GROUPS].begin),
                              (int)(block->here[POOL_BATCH].end - block->here[POOL_BATCH].begin),
                              (int)pool->channels,
                              (int)dims,
                              { { 0 } } };
    for (unsigned i = 0; i < dims; ++i) {
        pop_interval out = (pool->backward ? block->there : block->here)[POOL_FIELD + i],
                     in = (pool->backward ? block->here : block->there)[POOL_FIELD + i];
        assert(out.end <= pool->out_field[i] && in.end <= pool->params->input_field[i]);
        part.dim[i] = (struct pool_dim){ (int)out.begin,
                                         (int)(out.end - out.begin),
                                         (int)in.begin,
                                         (int)(in.end - in.begin),
                                         (int)pool->params->kernel[i],
                                         (int)pool->params->stride[i],
                                         pool->params->padding_lower[i],
                                         (int)pool->params->input_field[i] };
    }
    unsigned tile = builder->tiles[builder->next++];
    pop_graph_set_tile_mapping(graph, slice, tile);
    pop_vertex vertex = add_vertex(pool, &part, slice, block->here, block->there);
    pop_graph_map_vertex(graph, vertex, tile);
    return call_ready(call);
}

/* {batch, channels, field...} as {groups, batch, field..., channels of a group}, and the reverse.  Zeros complete the
 * last group. */
static pop_tensor grouped(const struct pool *pool, pop_tensor t)
{
    const struct call *call = pool->call;
    assert(pop_tensor_rank(t) == 2 + pool->params->dims);
    size_t missing = poplibs_ceil_div(pop_tensor_dim(t, 1), pool->channels) * pool->channels - pop_tensor_dim(t, 1);
    if (missing)
        t = popops_pad_dim(call->graph, t, 0, (ptrdiff_t)missing, 1, 0, POPOPS_PADDING_MAPPING_ZERO);
    size_t dims[3 + POPNN_MAX_FIELD_DIMS] = { pop_tensor_dim(t, 0), pop_tensor_dim(t, 1) / pool->channels,
                                              pool->channels };
    for (unsigned i = 0; i < pool->params->dims; ++i)
        dims[3 + i] = pop_tensor_dim(t, 2 + i);
    t = pop_tensor_reshape(t, (pop_shape){ 3 + pool->params->dims, dims });
    return pop_tensor_dim_roll(pop_tensor_dim_roll(t, 1, 0), 2, 2 + pool->params->dims);
}
static pop_tensor ungrouped(const struct pool *pool, pop_tensor t)
{
    const struct call *call = pool->call;
    t = pop_tensor_dim_roll(pop_tensor_dim_roll(t, 2 + pool->params->dims, 2), 0, 1);
    size_t dims[2 + POPNN_MAX_FIELD_DIMS] = { pop_tensor_dim(t, 0), pop_tensor_dim(t, 1) * pool->channels };
    for (unsigned i = 0; i < pool->params->dims; ++i)
        dims[2 + i] = pop_tensor_dim(t, 3 + i);
    t = pop_tensor_reshape(t, (pop_shape){ 2 + pool->params->dims, dims });
    return pop_tensor_slice(t, 0, pool->params->channels, 1);
}

/* One step of the program: its output has the field of the pool's output or, when backward, of its input. */
static pop_tensor build(struct pool *pool, const struct pool_plan *plan, const char *step)
{
    const struct call *call = pool->call;
    const popnn_pool_params *params = pool->params;
    size_t sizes[3 + POPNN_MAX_FIELD_DIMS];
    pop_shape shape = { 3 + params->dims, sizes };
    pool->channels = plan->channels;
    pool_sizes(pool, plan->channels, sizes);
    for (size_t i = 0; i < 3; ++i)
        if (pop_tensor_type(pool->read[i]))
            pool->read[i] = grouped(pool, pool->read[i]);
    size_t partitions[3 + POPNN_MAX_FIELD_DIMS] = { 0 };
    memcpy(partitions, plan->cuts, (POOL_FIELD + params->dims) * sizeof(*partitions));
    partitions[POOL_FIELD + params->dims] = 1;
    const char *path = call_path(call, call->name, step);
    pool->set = pop_graph_add_compute_set(call->graph, path);
    pop_tensor out = poputil_create_partitionable_tensor(call->graph, params->data_type, shape,
                                                         (pop_shape){ shape.rank, partitions }, path);
    size_t max = 1, count;
    for (unsigned i = 0; i < POOL_FIELD + params->dims; ++i)
        max *= plan->cuts[i];
    struct pool_block *blocks = find_blocks(pool, sizes, plan->cuts, max, &count);
    unsigned *tiles = pool_tiles_of_blocks(pool, blocks, count, max);
    struct builder builder = { pool, blocks, tiles, 0 };
    poputil_iterate_tensor_partitions(call->graph, out, (pop_shape){ shape.rank, partitions }, add_block, &builder);
    free(blocks);
    free(tiles);
    call_execute(call, pool->set, call->name);
    return call_ready(call) ? ungrouped(pool, out) : (pop_tensor){ 0 };
}

/* ---- checks of arguments ---- */

static bool check_params(struct pool *pool)
{
    const struct call *call = pool->call;
    const popnn_pool_params *params = pool->params;
    if (!params)
        return call_fail(call, POP_POPLAR_ERROR, "the parameters are NULL");
    if (params->type > POPNN_POOL_SUM || params->dims < 1 || params->dims > POPNN_MAX_FIELD_DIMS)
        return call_fail(call, POP_POPLAR_ERROR,
                         "pooling of type %u over %u dimensions is wanted; there are max, avg and sum, over 1 to %d",
                         (unsigned)params->type, params->dims, POPNN_MAX_FIELD_DIMS);
    if (params->data_type != POP_HALF && params->data_type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "elements of type %s are to be pooled; half or float is needed",
                         pop_type_name(params->data_type));
    for (unsigned i = 0; i < params->dims; ++i)
        if (!params->kernel[i] || !params->stride[i] || padded(params, i) < (long long)params->kernel[i])
            return call_fail(call, POP_POPLAR_ERROR,
                             "dimension %u has a window of %zu and a stride of %u for %lld elements with padding; "
                             "both must be at least 1, and "
                             "the window must fit",
                             i, params->kernel[i], params->stride[i], padded(params, i));
    for (unsigned i = 0; i < params->dims; ++i)
        if (padded(params, i) > INT32_MAX)
            return call_fail(call, POP_POPLAR_ERROR,
                             "dimension %u of the field has %lld elements with its padding; at most %d are allowed", i,
                             padded(params, i), INT32_MAX);
    popnn_pool_output_field(params, pool->out_field);
    return true;
}
static bool check_tensor(const struct pool *pool, const char *what, pop_tensor t, const size_t *field)
{
    size_t dims[2 + POPNN_MAX_FIELD_DIMS] = { pool->params->batch, pool->params->channels };
    memcpy(dims + 2, field, pool->params->dims * sizeof(*dims));
    return call_takes_shape(pool->call, what, t, pool->params->data_type, (pop_shape){ 2 + pool->params->dims, dims });
}

struct pool_options {
    bool introspective, fast, float_partials;
};
static bool check_options(const struct pool *pool, pop_options given, struct pool_options *options)
{
    static const struct poplibs_option table[] = {
#define POOL_OPTION(...) POPLIBS_ROW(struct pool_options, __VA_ARGS__)
#include "poplibs/options.def"
    };
    return call_read_options(pool->call, given, table, sizeof(table) / sizeof(table[0]), options);
}

/* ---- calls ---- */

pop_tensor popnn_pool_at(pop_where where, pop_graph *graph, const popnn_pool_params *params, pop_tensor in,
                         pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_pool), in, name, options);
    struct pool pool = { .call = call, .params = params };
    struct pool_options parsed;
    if (!call_ready(call) || !check_params(&pool) || !check_tensor(&pool, "the input", in, params->input_field) ||
        !check_options(&pool, options, &parsed))
        return (pop_tensor){ 0 };
    pool.introspective = parsed.introspective;
    pool.vertex = params->type == POPNN_POOL_MAX ? "MaxPooling" : "SumPooling";
    pool.kind = params->type == POPNN_POOL_MAX ? POOL_MAX : POOL_SUM;
    pool.read[0] = in;
    const char *step = params->type == POPNN_POOL_MAX   ? "MaxPool"
                       : params->type == POPNN_POOL_AVG ? "AvgPool"
                                                        : "SumPool";
    if (pool_is_global(&pool))
        return pool_reduce(call, params, in, step);
    struct pool_planned planned;
    pool_plan_forward(&planned, &pool, in);
    if (parsed.fast && pool_is_convolution(params) && pop_tensor_num_elements(in)) {
        pop_tensor out = pool_convolve(call, params, in, planned.plan.cycles);
        if (pop_tensor_valid(out) || !call_ready(call))
            return out;
    }
    pop_tensor out = build(&planned.pool, &planned.plan, step);
    return call_ready(call) ? pool_view_out(call, &planned.view, params, out) : (pop_tensor){ 0 };
}

pop_tensor popnn_pool_input_gradient_at(pop_where where, pop_graph *graph, const popnn_pool_params *params,
                                        pop_tensor in, pop_tensor pooled, pop_tensor pooled_gradient,
                                        bool use_scaled_gradient, pop_program sequence, const char *name,
                                        pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_pool), in, pooled, pooled_gradient, use_scaled_gradient,
                    name, options);
    struct pool pool = { .call = call, .params = params };
    struct pool_options parsed;
    if (!call_ready(call) || !check_params(&pool) ||
        !check_tensor(&pool, "the output's gradient", pooled_gradient, pool.out_field) ||
        !check_options(&pool, options, &parsed))
        return (pop_tensor){ 0 };
    bool max = params->type == POPNN_POOL_MAX;
    if (max && (!check_tensor(&pool, "the input", in, params->input_field) ||
                !check_tensor(&pool, "the output", pooled, pool.out_field)))
        return (pop_tensor){ 0 };
    pool.introspective = parsed.introspective;
    pool.read[2] = pooled_gradient;
    pool.kind = POOL_BACKWARD;
    if (max && use_scaled_gradient) {
        struct pool scale = pool;
        scale.vertex = "MaxPoolingGradientScale";
        scale.read[0] = in;
        scale.read[1] = pooled;
        struct pool_plan plan = pool_plan_backward(&scale);
        pool.read[2] = build(&scale, &plan, "MaxPoolGradientScale");
        if (!call_ready(call))
            return (pop_tensor){ 0 };
    }
    if (max) {
        pool.read[0] = in;
        pool.read[1] = pooled;
    }
    pool.backward = true;
    pool.vertex = max ? "MaxPoolingGrad" : "SumPoolingGrad";
    pool.kind = max ? POOL_BACKWARD : POOL_SUM;
    struct pool_plan plan = pool_plan_backward(&pool);
    return build(&pool, &plan, max ? "MaxPoolGrad" : params->type == POPNN_POOL_AVG ? "AvgPoolGrad" : "SumPoolGrad");
}

pop_tensor popnn_pool_input_gradient_without_activations_at(pop_where where, pop_graph *graph,
                                                            const popnn_pool_params *params,
                                                            unsigned fwd_chans_per_group, pop_tensor pooled_gradient,
                                                            pop_program sequence, const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, log_written(params, log_pool), fwd_chans_per_group, pooled_gradient, name,
                    options);
    struct pool pool = { .call = call, .params = params };
    struct pool_options parsed;
    if (!call_ready(call) || !check_params(&pool) ||
        !check_tensor(&pool, "the output's gradient", pooled_gradient, pool.out_field) ||
        !check_options(&pool, options, &parsed))
        return (pop_tensor){ 0 };
    if (params->type == POPNN_POOL_MAX || !fwd_chans_per_group || params->channels % fwd_chans_per_group) {
        call_fail(
            call, POP_POPLAR_ERROR,
            "groups of %u of %zu channels, for pooling of type %s; a divisor is needed, and max needs the activations",
            fwd_chans_per_group, params->channels, popnn_pooling_type_name(params->type));
        return (pop_tensor){ 0 };
    }
    pool.introspective = parsed.introspective;
    pool.channels = pool_allowed_group(fwd_chans_per_group);
    pool.read[2] = pooled_gradient;
    pool.backward = true;
    pool.vertex = "SumPoolingGrad";
    pool.kind = POOL_SUM;
    pool.detected = pool.channels;
    struct pool_plan plan = pool_find_plan(&pool, 0, 0);
    return build(&pool, &plan, params->type == POPNN_POOL_AVG ? "AvgPoolGrad" : "SumPoolGrad");
}
