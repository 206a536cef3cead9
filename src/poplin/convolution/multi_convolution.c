/* SPDX-License-Identifier: Apache-2.0 */
/* Several convolutions: either at the same time, each on its share of the tiles, phase by phase; or one after the
 * other. */
#include "poplibs/copies.h"
#include "poplibs/log.h"
#include "poplibs/options.h"
#include "poplin/convolution/convolution.h"
#include "poplin/planner/plan_together.h"

#include <poplin/multi_convolution.h>
#include <popops/scaled_add.h>

/* One call. */
struct multi {
    const struct call *call;
    const poplin_multi_conv *convs;
    struct conv_call *members;
    size_t count;
    bool together;
    poplin_planning_cache *cache, *own_cache; /* the caller's; the call's own: shares are planned only once */
    struct conv_program program;
};

struct multi_options {
    int plan_type;
    unsigned per_conv_reserved_tiles;
    double cycle_back_off;
};
static bool parse(const struct call *call, pop_options given, struct multi_options *options)
{
    static const struct poplibs_option table[] = {
#define MULTI_CONV_OPTION(...) POPLIBS_ROW(struct multi_options, __VA_ARGS__)
#include "poplibs/options.def"
    };
    if (!call_ready(call) || !call_read_options(call, given, table, sizeof(table) / sizeof(table[0]), options))
        return false;
    return options->cycle_back_off >= 0 ||
           call_fail(call, POP_INVALID_OPTION, "option 'cycleBackOff' is %g; it must not be below 0",
                     options->cycle_back_off);
}

/* ---- begin and end of calls ---- */

/* Divides the tiles among the convolutions that multiply something. */
static void share_tiles(struct multi *multi, const struct multi_options *options)
{
    struct plan_member *planned = poplibs_zeros(multi->count, sizeof(*planned));
    size_t count = 0;
    for (struct conv_call *member = multi->members; member < multi->members + multi->count; ++member)
        if (!member->simple.is_empty)
            planned[count++] = (struct plan_member){ member->simple.params, &member->options };
    multi->together = plan_together(multi->call, planned, count, options->per_conv_reserved_tiles,
                                    options->cycle_back_off, multi->cache);
    free(planned);
}

static void end(struct multi *multi)
{
    poplin_planning_cache_destroy(multi->own_cache);
    free(multi->members);
}

/* False after an error, with nothing left to release. */
static bool begin(struct multi *multi, enum conv_purpose purpose, pop_options given)
{
    const struct call *call = multi->call;
    struct multi_options options;
    if (!parse(call, given, &options))
        return false;
    multi->members = poplibs_zeros(multi->count, sizeof(*multi->members));
    if (!multi->cache)
        multi->cache = multi->own_cache = poplin_planning_cache_create();
    bool right = true;
    for (size_t i = 0; i < multi->count && right; ++i) {
        const poplin_multi_conv *conv = &multi->convs[i];
        right = conv_call_begin(call, &multi->members[i], purpose, conv->params, call->name ? call->name : conv->name,
                                conv->options, multi->cache);
    }
    if (right && options.plan_type == 0)
        share_tiles(multi, &options);
    if (call_ready(call))
        return true;
    end(multi);
    return false;
}

/* The tensors that a member's part of multi->program writes. */
struct outputs {
    bool transposed;
    pop_tensor *list;
};
typedef void adder(struct multi *multi, size_t i, const struct outputs *outputs);

/* Adds the convolutions to one program if they run together, otherwise one after the other. */
static void add_each(struct multi *multi, adder *add, const struct outputs *outputs)
{
    const struct call *call = multi->call;
    if (multi->together) {
        multi->program = conv_program_begin(call, call->name);
        multi->program.is_shared = multi->count > 1;
    }
    for (size_t i = 0; i < multi->count && call_ready(call); ++i) {
        if (!multi->together)
            multi->program = conv_program_begin(call, multi->members[i].path);
        add(multi, i, outputs);
        if (!multi->together)
            conv_program_end(&multi->program, call->sequence);
    }
    if (multi->together)
        conv_program_end(&multi->program, call->sequence);
}

/* Runs a whole call; outputs are null tensors after an error. */
static void run(struct multi *multi, enum conv_purpose purpose, adder *add, struct outputs outputs)
{
    if (multi->count && !outputs.list) {
        if (call_ready(multi->call))
            call_fail(multi->call, POP_POPLAR_ERROR, "outputs is NULL; it must be an array for the results");
        return;
    }
    for (size_t i = 0; i < multi->count; ++i)
        outputs.list[i] = (pop_tensor){ 0 };
    if (!begin(multi, purpose, multi->call->options))
        return;
    add_each(multi, add, &outputs);
    end(multi);
}

/* ---- operands ---- */

static pop_tensor create(struct multi *multi, size_t index, pop_tensor (*make)(const struct conv_call *request))
{
    if (!begin(multi, CONV_FORWARD, multi->call->options))
        return (pop_tensor){ 0 };
    pop_tensor made = { 0 };
    if (index < multi->count)
        made = make(&multi->members[index]);
    else
        call_fail(multi->call, POP_POPLAR_ERROR, "index %zu is out of range: there are %zu convolutions", index,
                  multi->count);
    end(multi);
    return made;
}
pop_tensor poplin_multi_create_input_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs, size_t count,
                                        size_t index, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, count, index, options);
    struct multi multi = { .call = call, .convs = convs, .count = count, .cache = cache };
    return create(&multi, index, conv_make_input);
}
pop_tensor poplin_multi_create_weights_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                          size_t count, size_t index, pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL(graph, count, index, options);
    struct multi multi = { .call = call, .convs = convs, .count = count, .cache = cache };
    return create(&multi, index, conv_make_weights);
}

/* ---- forward and backward ---- */

static void add_convolution(struct multi *multi, size_t i, const struct outputs *outputs)
{
    outputs->list[i] = conv_convolve(&multi->members[i], multi->convs[i].input, multi->convs[i].weights,
                                     outputs->transposed, &multi->program);
}
void poplin_multi_convolution_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs, size_t count,
                                 bool transpose_and_flip_weights, pop_program sequence, const char *name,
                                 pop_options options, poplin_planning_cache *cache, pop_tensor *outputs)
{
    POPLIBS_CALL_IN(sequence, graph, count, transpose_and_flip_weights, name, options);
    struct multi multi = { .call = call, .convs = convs, .count = count, .cache = cache };
    run(&multi, CONV_FORWARD, add_convolution, (struct outputs){ transpose_and_flip_weights, outputs });
}

static void add_transposed(struct multi *multi, size_t i, const struct outputs *outputs)
{
    const struct conv_call *request = &multi->members[i];
    outputs->list[i] = conv_make_weights(request);
    if (call_ready(multi->call) && conv_call_check_weights(request, multi->convs[i].weights, true))
        conv_transpose_weights(&multi->program, multi->convs[i].weights, outputs->list[i], false);
}
void poplin_multi_weights_transpose_chans_flip_xy_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                                     size_t count, pop_program sequence, const char *name,
                                                     pop_options options, poplin_planning_cache *cache,
                                                     pop_tensor *outputs)
{
    POPLIBS_CALL_IN(sequence, graph, count, name, options);
    struct multi multi = { .call = call, .convs = convs, .count = count, .cache = cache };
    run(&multi, CONV_FORWARD, add_transposed, (struct outputs){ true, outputs });
}

/* ---- the update of weights ---- */

static void add_deltas(struct multi *multi, size_t i, const struct outputs *outputs)
{
    outputs->list[i] =
        conv_weight_deltas(&multi->members[i], multi->convs[i].deltas, multi->convs[i].input, &multi->program);
}
void poplin_multi_calculate_weight_deltas_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                             size_t count, pop_program sequence, const char *name, pop_options options,
                                             poplin_planning_cache *cache, pop_tensor *outputs)
{
    POPLIBS_CALL_IN(sequence, graph, count, name, options);
    struct multi multi = { .call = call, .convs = convs, .count = count, .cache = cache };
    run(&multi, CONV_WEIGHT_UPDATE, add_deltas, (struct outputs){ false, outputs });
}

/* Whether update k can be one addition with update i. */
static bool same_update(const struct multi *multi, const pop_tensor *deltas, size_t i, size_t k)
{
    const poplin_multi_conv *a = &multi->convs[i], *b = &multi->convs[k];
    if (!pop_tensor_valid(deltas[k]) || pop_tensor_valid(a->scale) || pop_tensor_valid(b->scale))
        return i == k;
    return a->scale_constant == b->scale_constant && pop_tensor_type(a->weights) == pop_tensor_type(b->weights) &&
           pop_tensor_type(deltas[i]) == pop_tensor_type(deltas[k]);
}

static void add_update(const struct multi *multi, size_t i, pop_tensor weights, pop_tensor deltas)
{
    const struct call *call = multi->call;
    const poplin_multi_conv *conv = &multi->convs[i];
    const char *name = multi->members[i].path;
    if (pop_tensor_valid(conv->scale))
        popops_scaled_add_to(call->graph, weights, deltas, conv->scale, call->sequence, name, POP_NO_OPTIONS);
    else
        popops_scaled_add_to_constant(call->graph, weights, deltas, conv->scale_constant, call->sequence, name,
                                      POP_NO_OPTIONS);
}

/* Update i and the later ones like it, which have no deltas afterwards: in one compute set, as their weights are mostly
 * on different tiles; one after the other if they update the same weights. */
static void add_updates(const struct multi *multi, size_t i, pop_tensor *deltas)
{
    const struct call *call = multi->call;
    struct poplibs_copies alike = { 0 };
    for (size_t k = i; k < multi->count; ++k)
        if (same_update(multi, deltas, i, k))
            poplibs_copies_add(&alike, pop_tensor_flatten(deltas[k]), pop_tensor_flatten(multi->convs[k].weights));
    pop_tensor weights = call_joined(call, &alike.to);
    if (pop_tensor_contains_aliases(weights)) {
        add_update(multi, i, multi->convs[i].weights, deltas[i]);
    } else {
        add_update(multi, i, weights, call_joined(call, &alike.from));
        for (size_t k = i + 1; k < multi->count; ++k)
            if (same_update(multi, deltas, i, k))
                deltas[k] = (pop_tensor){ 0 };
    }
    poplibs_copies_free(&alike);
}

void poplin_multi_convolution_weight_update_at(pop_where where, pop_graph *graph, const poplin_multi_conv *convs,
                                               size_t count, pop_program sequence, const char *name,
                                               pop_options options, poplin_planning_cache *cache)
{
    POPLIBS_CALL_IN(sequence, graph, count, name, options);
    struct multi multi = { .call = call, .convs = convs, .count = count, .cache = cache };
    if (!begin(&multi, CONV_WEIGHT_UPDATE, options))
        return;
    pop_tensor *deltas = poplibs_zeros(count, sizeof(*deltas));
    for (size_t i = 0; i < count && call_ready(call); ++i)
        conv_call_check_weights(&multi.members[i], convs[i].weights, false);
    add_each(&multi, add_deltas, &(struct outputs){ false, deltas });
    for (size_t i = 0; i < count && call_ready(call); ++i)
        if (pop_tensor_valid(deltas[i]))
            add_updates(&multi, i, deltas);
    free(deltas);
    end(&multi);
}
