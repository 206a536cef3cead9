/* SPDX-License-Identifier: Apache-2.0 */
#include "poplin/convolution/conv_partials.h"
#include "poplin/convolution/convolution.h"
#include "poplin/planner/method.h"

#include <assert.h>
#include <popops/fill.h>
#include <popops/rearrange.h>
#include <poputil/tile_mapping.h>

/* ---- operands in the plan's layout ---- */

/* The last dimensions of grouped operands, which are a block. */
enum { INNER_OF_INPUT = 2, INNER_OF_WEIGHTS = 3 };

/* Whether a block, or else each piece of so many of its elements, is contiguous in memory; piece 0: the block. */
static bool is_whole(const struct conv_resolved *conv, pop_tensor block, size_t piece)
{
    const struct call *call = conv->call;
    size_t elements = pop_tensor_num_elements(block), inner = pop_tensor_dim(block, conv_last_dim(block));
    if (pop_tensor_contains_constant(block))
        return false;
    bool whole = pop_tensor_is_contiguous(block);
    if (whole || !piece || inner % piece)
        return whole;
    block = pop_tensor_flatten(block);
    for (size_t at = 0; at < elements; at += piece)
        if (!pop_tensor_is_contiguous(pop_tensor_slice(block, at, at + piece, 0)))
            return false;
    return true;
}

/* Whether each block of the last `inner` dimensions is whole; tests the first, the middle and the last block. */
static bool has_whole_blocks(const struct conv_resolved *conv, pop_tensor grouped, unsigned inner, size_t piece)
{
    const struct call *call = conv->call;
    assert(pop_tensor_rank(grouped) >= inner);
    unsigned outer = (unsigned)pop_tensor_rank(grouped) - inner;
    if (pop_tensor_num_elements(grouped) == 0)
        return true;
    for (unsigned which = 0; which < 3; ++which) {
        pop_tensor block = grouped;
        for (unsigned d = 0; d < outer; ++d) {
            size_t size = pop_tensor_dim(block, 0);
            block = pop_tensor_at(block, which == 0 ? 0 : which == 1 ? size / 2 : size - 1);
        }
        if (!is_whole(conv, block, piece))
            return false;
    }
    return true;
}

static bool is_product(const struct conv_resolved *conv)
{
    int pass = conv->request->options.pass;
    return pass == POPLIN_PASS_NONE_MATMUL || pass_is_fully_connected(pass);
}

/* A convolution that is built as that of poplibsRelease 2021. */
static bool is_of_2021(const struct conv_resolved *conv)
{
    return !is_product(conv) && pop_graph_target(conv->call->graph)->poplibs_release == POP_POPLIBS_2021;
}

static bool is_product_of_2021(const struct conv_resolved *conv)
{
    return is_product(conv) && pop_graph_target(conv->call->graph)->poplibs_release == POP_POPLIBS_2021;
}

/* With poplibsRelease 2021, channels of a convolution's input that are together in words of the data path: the exchange
 * puts them in their places.  0: operands are arranged as a whole, as those of products. */
static size_t input_piece(const struct conv_resolved *conv, pop_tensor input)
{
    const pop_target *target = pop_graph_target(conv->call->graph);
    return is_of_2021(conv) ? target->data_path_width / 8 / pop_target_type_size(target, pop_tensor_type(input)) : 0;
}

/* With more readers an operand of a product is sent to the plan's tiles first (poplibsRelease 2021). */
enum { MAX_READERS = 7 };

/* The number of tiles that read an element of an operand. */
static uint64_t readers_of(const struct conv_resolved *conv, bool weights)
{
    const struct plan_partition *p = &conv->plan.partition;
    uint64_t readers = weights ? p->batch_split : p->out_chan_split.parallel;
    for (unsigned d = 0; d < conv->plan.num_field_dims; ++d)
        readers *= weights ? p->field_split[d] : p->kernel_split[d];
    return readers;
}

/* Whether an operand of a product is sent to the plan's tiles first. */
static bool is_sent_first(const struct conv_resolved *conv, bool weights)
{
    return is_product_of_2021(conv) && readers_of(conv, weights) > MAX_READERS;
}

bool conv_same_tiles(const struct call *call, pop_tensor a, pop_tensor b)
{
    pop_interval_lists first, second;
    if (!pop_graph_get_tile_mapping(call->graph, a, NULL, &first))
        return false;
    bool same = false;
    if (pop_graph_get_tile_mapping(call->graph, b, NULL, &second)) {
        size_t count = first.count ? first.first[first.count] : 0;
        same = first.count == second.count &&
               (!count || (memcmp(first.first, second.first, (first.count + 1) * sizeof(*first.first)) == 0 &&
                           memcmp(first.intervals, second.intervals, count * sizeof(*first.intervals)) == 0));
        pop_interval_lists_free(&second);
    }
    pop_interval_lists_free(&first);
    return same;
}

/* Transposes blocks of an operand of a product of halves whose innermost dimension is not that of `like`, as poplibs of
 * 2021 does: the exchange moves words, so the halves of a word are separated on tiles. */
static bool needs_transposition(const struct conv_resolved *conv, pop_tensor grouped)
{
    return is_product_of_2021(conv) && pop_tensor_type(grouped) == POP_HALF;
}
static pop_tensor transposed_like(const struct conv_work *work, pop_tensor grouped, pop_tensor like, bool weights)
{
    const struct call *call = work->call;
    pop_tensor source, blocks;
    for (unsigned d = 1; d <= (weights ? 2 : 1) && pop_tensor_contains_constant(grouped); ++d) {
        size_t whole = pop_tensor_dim(grouped, d) - 1; /* the last group of channels may be padded */
        pop_tensor last = pop_tensor_slice(grouped, whole, whole + 1, d);
        if (!whole || !pop_tensor_contains_constant(last))
            continue;
        pop_tensor first =
            transposed_like(work, pop_tensor_slice(grouped, 0, whole, d), pop_tensor_slice(like, 0, whole, d), weights);
        return pop_tensor_concat((pop_tensors){ 2, (pop_tensor[]){ first, last } }, d);
    }
    pop_compute_set set = conv_program_set(work->program, CONV_TRANSPOSE, work->conv->name, "Transpose");
    grouped = popops_regroup_if_beneficial_apart(call->graph, grouped, like, set, work->conv->name, &source, &blocks);
    if (pop_tensor_valid(source))
        conv_program_copy(work->program, CONV_TRANSPOSE, source, blocks);
    return grouped;
}

/* Whether an operand of a convolution of one channel a group has channels that are next to each other for the plan's
 * vertices, where in memory elements of the field are: halves that the exchange, which moves words, cannot put in their
 * places. */
static bool has_single_halves(const struct conv_work *work, pop_tensor grouped, unsigned inner)
{
    const struct conv_resolved *conv = work->conv;
    const struct call *call = conv->call;
    const poplin_conv_params *params = &conv->request->given;
    unsigned rank = (unsigned)pop_tensor_rank(grouped);
    size_t channels = 1;
    if (pop_graph_target(call->graph)->poplibs_release != POP_POPLIBS_2021 ||
        params->input_channels_per_conv_group != 1 || params->output_channels_per_conv_group != 1 ||
        pop_tensor_type(grouped) != POP_HALF || pop_tensor_contains_constant(grouped))
        return false;
    pop_tensor neighbours = grouped;
    for (unsigned d = 0; d < rank; ++d) {
        channels *= d < rank - inner ? 1 : pop_tensor_dim(grouped, d);
        neighbours =
            pop_tensor_slice(neighbours, 0, poplibs_min(pop_tensor_dim(grouped, d), d + inner + 1 == rank ? 2 : 1), d);
    }
    return channels > 1 && pop_tensor_num_elements(neighbours) == 2 && pop_tensor_is_contiguous(neighbours);
}

/* Receives an operand in the order of its memory, then puts its channels next to each other on the tile, with those
 * that the tile has.  Both operands are copied together, as those that are transposed. */
static void interleave(const struct conv_work *work, pop_tensor grouped, pop_tensor made, bool weights, unsigned inner)
{
    const struct call *call = work->call;
    size_t dims[CONV_MAX_DIMS], turned[CONV_MAX_DIMS], rank = pop_tensor_shape(grouped, dims, CONV_MAX_DIMS);
    assert(rank <= CONV_MAX_DIMS && rank > inner);
    memcpy(turned, dims + rank - inner, inner * sizeof(*dims));
    memcpy(turned + inner, dims, (rank - inner) * sizeof(*dims));
    pop_tensor received =
        pop_graph_add_variable(call->graph, pop_tensor_type(grouped), conv_shape(turned, rank), "received");
    for (unsigned i = 0; i < inner; ++i)
        received = pop_tensor_dim_roll(received, 0, (unsigned)rank - 1);
    if (weights)
        conv_map_weights(work->conv, received);
    else
        conv_map_input(work->conv, received);
    if (call_ready(call))
        conv_copy_by_way_of(work, grouped, received, made, CONV_REGROUP, CONV_ARRANGE);
}

/* Whether the input is the weights of a joint plan, in its backward pass: Poplibs' planner counts no copies of them,
 * and fullyConnectedWeightTranspose turns them block by block. */
static bool is_turned(const struct conv_resolved *conv)
{
    return is_product_of_2021(conv) && conv->plan.is_joint && conv->plan.tile_order == POPLIN_ORDER_FC_BWD_AS_CONV;
}

/* The number of groups of channels that vertices of a product of 2021 read where they are, though the last group is
 * padded: it alone is copied, if few tiles read an element. */
static size_t groups_in_place(const struct conv_resolved *conv, pop_tensor input)
{
    const struct call *call = conv->call;
    size_t groups = pop_tensor_dim(input, 1);
    if (!is_product_of_2021(conv) || groups < 2)
        return 0;
    pop_tensor first = pop_tensor_slice(input, 0, groups - 1, 1);
    return has_whole_blocks(conv, first, INNER_OF_INPUT, 0) ? groups - 1 : 0;
}

/* Copies a grouped operand to a variable of the plan's layout. */
static pop_tensor copied(const struct conv_work *work, pop_tensor grouped, pop_tensor made, bool weights)
{
    const struct conv_resolved *conv = work->conv;
    unsigned inner = weights ? INNER_OF_WEIGHTS : INNER_OF_INPUT;
    if (has_single_halves(work, grouped, inner)) {
        interleave(work, grouped, made, weights, inner);
        return made;
    }
    if (is_of_2021(conv)) { /* with the other operand: zeros, copies, transpositions, copies */
        grouped = conv_regroup(work, grouped, made, weights, CONV_PAD_INPUT);
        if (call_ready(work->call))
            conv_copy_and_pad(work, grouped, made, CONV_PAD_INPUT, CONV_ARRANGE);
        return made;
    }
    if (needs_transposition(conv, grouped))
        grouped = transposed_like(work, grouped, made, weights);
    conv_avoid_local_pieces(work->call, grouped, made);
    conv_copy_and_pad(work, grouped, made, weights ? CONV_PAD_WEIGHTS : CONV_PAD_INPUT,
                      weights ? CONV_ARRANGE_WEIGHTS : CONV_ARRANGE_INPUT);
    return made;
}

pop_tensor conv_arrange(const struct conv_work *work, pop_tensor grouped, bool weights)
{
    const struct call *call = work->call;
    const struct conv_resolved *conv = work->conv;
    if (!call_ready(call))
        return grouped;
    bool whole = has_whole_blocks(conv, grouped, weights ? INNER_OF_WEIGHTS : INNER_OF_INPUT,
                                  weights ? 0 : input_piece(conv, grouped)),
         spreads = pop_tensor_num_elements(grouped) && is_sent_first(conv, weights);
    if (whole && !spreads)
        return grouped;
    pop_tensor made = conv_new_grouped(conv, weights, weights ? "weightsArranged" : "inputArranged");
    if (whole && conv_same_tiles(call, grouped, made))
        return grouped;
    if (!weights && !whole && is_turned(conv) && conv_turn_blocks(work, grouped, made))
        return made;
    size_t groups = pop_tensor_dim(grouped, 1), read = weights || spreads ? 0 : groups_in_place(conv, grouped);
    if (!read)
        return copied(work, grouped, made, weights);
    made = pop_graph_clone(call->graph, POP_TYPE_NULL, pop_tensor_slice(made, read, groups, 1),
                           POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "lastArranged");
    pop_tensor parts[2] = { pop_tensor_slice(grouped, 0, read, 1),
                            copied(work, pop_tensor_slice(grouped, read, groups, 1), made, weights) };
    return pop_tensor_concat((pop_tensors){ 2, parts }, 1);
}

pop_tensor conv_arranged_input(const struct conv_resolved *conv, pop_tensor input)
{
    const struct call *call = conv->call;
    if (conv->request->simple.is_empty || !conv_input_is_a_view(conv)) /* not a view: each convolution copies it */
        return input;
    pop_tensor made = conv_new_input(conv);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    input = popops_regroup_if_beneficial(call->graph, input, made, call->sequence, conv->name);
    call_copy(call, input, made, conv->name);
    return made;
}

/* ---- the whole convolution ---- */

/* Concatenates parts in the order of their splits, one dimension after the other from the innermost; dims[i] is the
 * tensors' dimension that split i divided. */
static pop_tensor join(const struct conv_work *work, pop_tensor *tensors, const size_t *splits, const unsigned *dims,
                       unsigned count)
{
    const struct call *call = work->call;
    size_t total = 1;
    for (unsigned i = 0; i < count; ++i)
        total *= splits[i];
    assert(total);
    for (unsigned i = count; i-- > 0; total /= splits[i])
        for (size_t k = 0; splits[i] > 1 && k < total / splits[i]; ++k)
            tensors[k] = pop_tensor_concat((pop_tensors){ splits[i], tensors + k * splits[i] }, dims[i]);
    return tensors[0];
}

pop_tensor conv_one_step(struct conv_work *work, unsigned out_chan_step, pop_tensor input, pop_tensor weights)
{
    unsigned steps = work->conv->plan.partition.in_chan_split.serial, fields = work->conv->plan.num_field_dims,
             cut[POPLIN_MAX_FIELD_DIMS + 3] = { 0, 2 };
    pop_tensor *earlier = NULL, made = { 0 };
    for (unsigned step = 0; step < steps && call_ready(work->call); ++step) {
        struct conv_parts parts = conv_parts_make(work->conv, out_chan_step, step);
        pop_tensor *sums = poplibs_zeros(parts.outputs, sizeof(*sums));
        work->conv->plan.method->add_vertices(work, conv_step_set(work, CONV_CONVOLVE, "Convolve"), &parts, input,
                                              weights);
        assert(parts.outputs && parts.depth);
        conv_add_sums(work, &parts, earlier,
                      step + 1 < steps ? conv_sum_type(work, parts.depth) : work->conv->params.output_type, sums);
        ++work->step;
        free(earlier);
        earlier = sums;
        if (step + 1 == steps && call_ready(work->call)) {
            for (unsigned d = 0; d < fields; ++d)
                cut[2 + d] = 3 + d;
            cut[2 + fields] = 1;
            made = join(work, sums, parts.splits, cut, fields + 3);
        }
        free(parts.parts);
    }
    free(earlier);
    return made;
}

/* An output of zeros, for a convolution that multiplies nothing. */
static pop_tensor zeros(const struct conv_resolved *conv, struct conv_program *program)
{
    const struct call *call = conv->call;
    const poplin_conv_params *params = &conv->request->convolved;
    size_t dims[CONV_MAX_DIMS] = { params->num_conv_groups, params->batch_size }, rank = 2;
    for (size_t d = 0; d < params->num_field_dims; ++d)
        dims[rank++] = poplin_conv_output_size(params, d);
    dims[rank++] = params->output_channels_per_conv_group;
    pop_tensor made = pop_graph_add_variable(call->graph, params->output_type, conv_shape(dims, rank), conv->name);
    poputil_map_tensor_linearly(call->graph, made);
    popops_zero_in(call->graph, made, conv_program_set(program, CONV_CONVOLVE, conv->name, "Zero"));
    return made;
}

bool conv_is_arranged_as_declared(const struct conv_resolved *conv, pop_tensor input, pop_tensor weights)
{
    const struct conv_call *request = conv->request;
    if (!call_ready(request->call) || !request->input_arranged_by || !conv_input_is_a_view(conv) ||
        has_whole_blocks(conv, conv->swapped ? weights : input, conv->swapped ? INNER_OF_WEIGHTS : INNER_OF_INPUT, 0))
        return call_ready(request->call);
    return call_fail(request->call, POP_POPLAR_ERROR,
                     "the operand that is declared as arranged does not have the layout of this product's plan: "
                     "create it by %s with the same shapes, types and options",
                     request->input_arranged_by);
}

/* Serial steps of different sizes, and those of convolutions that run at the same time, follow each other. */
static pop_tensor steps_in_turn(struct conv_work *work, pop_tensor input, pop_tensor weights)
{
    const struct conv_resolved *conv = work->conv;
    const struct call *call = work->call;
    unsigned steps = conv->plan.partition.out_chan_split.serial;
    assert(steps && conv->plan.partition.in_chan_split.serial);
    input = conv_group_input(conv, input);
    weights = conv_group_weights(conv, weights);
    if (!conv_is_arranged_as_declared(conv, input, weights))
        return (pop_tensor){ 0 };
    input = conv_arrange(work, input, false);
    weights = conv_arrange(work, weights, true);
    pop_tensor *slices = poplibs_zeros(steps, sizeof(*slices)), output = { 0 };
    for (unsigned step = 0; step < steps && call_ready(call); ++step)
        slices[step] = conv_one_step(work, step, input, weights);
    if (call_ready(call))
        output =
            conv_ungroup_output(conv, steps == 1 ? slices[0] : pop_tensor_concat((pop_tensors){ steps, slices }, 1));
    free(slices);
    return output;
}

static pop_tensor build(const struct conv_resolved *conv, pop_tensor input, pop_tensor weights,
                        struct conv_program *program)
{
    const struct call *call = conv->call;
    struct conv_part_lists lists = { .batch = 0 };
    struct conv_work work = { .call = call, .conv = conv, .program = program, .lists = &lists };
    conv_transform_operands(conv, &input, &weights);
    pop_tensor output = conv_loops(conv) && !program->is_shared ? conv_in_loop(&work, input, weights)
                                                                : steps_in_turn(&work, input, weights);
    free(lists.made.list);
    return call_ready(call) ? conv_transform_output_back(conv, output) : (pop_tensor){ 0 };
}

pop_tensor conv_add(const struct conv_resolved *conv, pop_tensor input, pop_tensor weights,
                    struct conv_program *program)
{
    const struct conv_call *request = conv->request;
    if (request->simple.is_empty)
        return zeros(conv, program);
    if (request->simple.strides)
        input = conv_take_input(request, input);
    pop_tensor output = call_ready(conv->call) ? build(conv, input, weights, program) : (pop_tensor){ 0 };
    if (request->simple.dilates && call_ready(conv->call))
        output = conv_dilate_output(conv, output, program);
    return call_ready(conv->call) ? conv_laid_out(conv, output, program) : output;
}
