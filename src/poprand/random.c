/* SPDX-License-Identifier: Apache-2.0 */
/* One vertex for each tile that has elements of the result. The state of its workers' generators is read from the
 * tile's registers and written back, or is derived from a seed. */
#include "poplibs/cpu_parts.h"
#include "poplibs/elements.h"
#include "poplibs/log.h"
#include "poplibs/tiles.h"
#include "poprand/draw_blocks.h"

#include <float.h>
#include <math.h>
#include <popops/element_wise.h>
#include <poprand/random_gen.h>
#include <poputil/broadcast.h>

static bool check_seed(const struct call *call, pop_tensor seed)
{
    if (!call_takes(call, "the seed", seed))
        return false;
    if (pop_tensor_type(seed) == POP_UNSIGNED_INT && pop_tensor_num_elements(seed) == 2)
        return true;
    return call_fail(call, POP_TYPE_ERROR, "the seed has %zu elements of type %s; 2 of type unsigned int are needed",
                     pop_tensor_num_elements(seed), pop_type_name(pop_tensor_type(seed)));
}

/* Sets state, on this tile, from the seed. */
static void add_set_seed(const struct call *call, pop_compute_set set, pop_tensor seed, uint32_t modifier,
                         pop_tensor state, unsigned tile)
{
    pop_graph *graph = call->graph;
    pop_vertex vertex = call_vertex(call, set, "poprand::SetSeedSupervisor", tile);
    call_connect(call, vertex, "seed", pop_tensor_flatten(seed));
    call_connect(call, vertex, "state", pop_tensor_flatten(state));
    pop_graph_set_field_int(graph, vertex, "seedModifierUser", modifier ^ 0x55555555u);
    pop_graph_set_field_int(graph, vertex, "seedModifierHw", tile << 4 ^ 0xaaaaaaa0u);
    pop_graph_set_tile_mapping(graph, state, tile);
}

void poprand_set_seed_at(pop_where where, pop_graph *graph, pop_tensor master_seed, uint32_t seed_modifier,
                         pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, master_seed, seed_modifier, name);
    if (!call_ready(call) || !check_seed(call, master_seed))
        return;
    const pop_target *target = pop_graph_target(graph);
    unsigned tiles = pop_target_num_tiles(target);
    const char *path = call_path(call, name, "setMasterSeed");
    pop_tensor states =
        pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(tiles, target->num_worker_contexts, 4), path);
    pop_compute_set set = pop_graph_add_compute_set(graph, path);
    for (unsigned tile = 0; tile < tiles; ++tile)
        add_set_seed(call, set, master_seed, seed_modifier, pop_tensor_at(states, tile), tile);
    call_execute(call, set, name);
    pop_set_hw_seeds(graph, states, sequence, path);
}

/* ---- one draw ---- */

struct generator_field {
    const char *name;
    double value; /* NULL name: none */
};
struct draw {
    const struct call *call;
    const char *distribution; /* "Uniform" */
    const pop_tensor *seed;
    uint32_t modifier;
    struct generator_field fields[7];
    uint64_t wide; /* value of the 64-bit field, if there is one */
    const char *wide_name;
    pop_tensor in;      /* flat, or null */
    bool unknown_draws; /* the number of draws depends on what is drawn */
    /* set while it is built */
    pop_tensor out, states, after; /* after: the state to keep, where it is not in states */
    pop_compute_set set, seeding, splitting;
    size_t tiles;
    bool splits;
};
struct draw_part {
    pop_tensor out, in, state; /* in: or null */
};

static void add_vertex(const struct draw *draw, unsigned tile, const struct draw_part *part)
{
    const struct call *call = draw->call;
    char type[96];
    snprintf(type, sizeof(type), "poprand::%sSupervisor<%s>", draw->distribution,
             pop_type_name(pop_tensor_type(draw->out)));
    pop_vertex vertex = call_vertex(call, draw->set, type, tile);
    call_connect(call, vertex, "out", part->out);
    call_connect(call, vertex, "state", pop_tensor_flatten(part->state));
    if (pop_tensor_type(part->in))
        call_connect(call, vertex, "in", part->in);
    for (const struct generator_field *field = draw->fields; field->name; ++field)
        pop_graph_set_field_double(call->graph, vertex, field->name, field->value);
    if (draw->wide_name)
        pop_graph_set_field(call->graph, vertex, draw->wide_name, POP_UNSIGNED_LONGLONG, &draw->wide);
}
static pop_tensor slice_of_part(const struct call *call, pop_tensor t, size_t begin, size_t end)
{
    return pop_tensor_type(t) ? pop_tensor_slice(t, begin, end, 0) : t;
}

/* On a CPU device, whose tile has one worker, threads share its draws: the worker's state at the beginning of each part
 * is computed from its first, so that the numbers are those of one vertex.  A part has LANES shares of at least
 * SHARE_BLOCKS blocks, because finding a state takes as long as some blocks; the rest is the last part. */
enum { SHARE_BLOCKS = 32, WORDS_OF_DRAW = 2, MIN_PART = LANES * SHARE_BLOCKS * BLOCK };
static bool splits_on_cpu(const struct draw *draw, const pop_target *target)
{
    return target->type == POP_TARGET_CPU && target->num_worker_contexts == 1 && !draw->unknown_draws &&
           pop_tensor_num_elements(draw->out) >= MIN_PART;
}
static void split_on_cpu(const struct draw *draw, const struct draw_part *whole, pop_tensor *after)
{
    const struct call *call = draw->call;
    pop_graph *graph = call->graph;
    size_t n = pop_tensor_num_elements(whole->out), parts = poplibs_cpu_parts(n, MIN_PART), shares = parts * LANES,
           share = n / shares / BLOCK * BLOCK;
    pop_tensor states = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(shares + 1, 4),
                                               call_path(call, call->name, "states"));
    pop_graph_set_tile_mapping(graph, states, 0);
    pop_vertex vertex = call_vertex(call, draw->splitting, "poprand::SplitGenerator", 0);
    call_connect(call, vertex, "state", pop_tensor_flatten(whole->state));
    call_connect(call, vertex, "states", pop_tensor_flatten(states));
    pop_graph_set_field(graph, vertex, "draws", POP_UNSIGNED_LONGLONG, &(uint64_t){ share / WORDS_OF_DRAW });
    for (size_t i = 0; i <= parts && call_ready(call); ++i) {
        size_t begin = i * LANES * share, end = i < parts ? begin + LANES * share : n,
               last = poplibs_min(shares + 1, (i + 1) * LANES);
        struct draw_part part = { slice_of_part(call, whole->out, begin, end),
                                  slice_of_part(call, whole->in, begin, end),
                                  pop_tensor_slice(states, i * LANES, last, 0) };
        if (begin < end)
            add_vertex(draw, 0, &part);
    }
    *after = pop_tensor_reshape(pop_tensor_slice(states, shares, shares + 1, 0), POP_SHAPE(1, 1, 4));
}

static void draw_on_tile(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    struct draw *draw = user;
    pop_interval_lists whole = { 1, (size_t[]){ 0, tile->regions->first[tile->regions->count] },
                                 tile->regions->intervals };
    struct draw_part part = { .out = call_slice_of_list(call, draw->out, &whole, 0),
                              .state = pop_tensor_at(draw->states, draw->seed ? draw->tiles++ : tile->tile) };
    if (pop_tensor_type(draw->in))
        part.in = call_slice_of_list(call, draw->in, &whole, 0);
    if (draw->seed)
        add_set_seed(call, draw->seeding, *draw->seed, draw->modifier, part.state, tile->tile);
    if (draw->splits)
        split_on_cpu(draw, &part, &draw->after);
    else
        add_vertex(draw, tile->tile, &part);
}
static void count_tile(const struct call *call, const struct poplibs_tile *tile, void *user)
{
    (void)call->graph, (void)tile;
    ++*(size_t *)user;
}

static pop_tensor draw(struct draw *draw, pop_tensor reference, pop_type out_type)
{
    const struct call *call = draw->call;
    pop_graph *graph = call->graph;
    const char *path = call_path(call, call->name, draw->distribution);
    size_t tiles = 0;
    pop_tensor out = pop_graph_clone(graph, out_type, reference, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, path);
    draw->out = pop_tensor_flatten(out);
    call_for_each_tile(call, draw->out, count_tile, &tiles);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (!tiles)
        return out;
    if (draw->seed) {
        draw->states = pop_graph_add_variable(graph, POP_UNSIGNED_INT,
                                              POP_SHAPE(tiles, pop_graph_target(graph)->num_worker_contexts, 4), path);
        draw->seeding = pop_graph_add_compute_set(graph, call_path(call, call->name, "setSeed"));
        call_execute(call, draw->seeding, call->name);
    } else {
        draw->states = pop_get_hw_seeds(graph, call->sequence, path);
    }
    draw->splits = splits_on_cpu(draw, pop_graph_target(graph));
    if (draw->splits) {
        draw->splitting = pop_graph_add_compute_set(graph, call_path(call, call->name, "split"));
        call_execute(call, draw->splitting, call->name);
    }
    draw->set = pop_graph_add_compute_set(graph, path);
    call_for_each_tile(call, draw->out, draw_on_tile, draw);
    call_execute(call, draw->set, call->name);
    if (!draw->seed)
        pop_set_hw_seeds(graph, draw->splits ? draw->after : draw->states, call->sequence, path);
    return call_ready(call) ? out : (pop_tensor){ 0 };
}

/* ---- checks of arguments ---- */

static bool check(const struct draw *draw, pop_tensor reference, pop_type out_type, bool integers)
{
    const struct call *call = draw->call;
    if (!call_ready(call) || (draw->seed && !check_seed(call, *draw->seed)))
        return false;
    if (!call_takes(call, "the reference", reference))
        return false;
    if (out_type != POP_HALF && out_type != POP_FLOAT && !(integers && out_type == POP_INT))
        return call_fail(call, POP_TYPE_ERROR, "numbers of type %s are not possible; half%s float%s are",
                         pop_type_name(out_type), integers ? "," : " or", integers ? " or int" : "");
    return true;
}
static bool check_probability(const struct draw *draw, double probability)
{
    if (probability >= 0 && probability <= 1)
        return true;
    return call_fail(draw->call, POP_POPLAR_ERROR, "%g is not a probability: it must be from 0 to 1", probability);
}
static bool check_moments(const struct draw *draw, double mean, double std_dev)
{
    if (isfinite(mean) && isfinite(std_dev) && std_dev >= 0)
        return true;
    return call_fail(draw->call, POP_POPLAR_ERROR,
                     "mean %g and standard deviation %g are given; both must be finite, the second not below 0", mean,
                     std_dev);
}
static uint64_t units_of(double probability)
{
    return (uint64_t)llround(probability * 4294967296.0);
}

/* The smallest value of a type that is not below a number. With negated argument and result: the largest that is not
 * above it. */
static double round_up_to(pop_type type, double number)
{
    if (type == POP_INT)
        return ceil(number);
    if (type == POP_FLOAT) {
        float nearest = (float)number;
        return (double)nearest < number ? (double)nextafterf(nearest, INFINITY) : (double)nearest;
    }
    uint16_t bits = pop_half_from_double(number);
    if ((double)pop_half_to_float(bits) < number)
        bits = bits == 0x8000 ? 1 : bits & 0x8000 ? bits - 1 : bits + 1;
    return (double)pop_half_to_float(bits);
}
/* The range in values of the type: min rounded up, max rounded down. */
static bool range_of(const struct draw *draw, pop_type type, double min, double max, double *low, double *high)
{
    *low = round_up_to(type, min);
    *high = -round_up_to(type, -max);
    double largest = type == POP_INT ? 2147483647.0 : type == POP_HALF ? 65504.0 : (double)FLT_MAX;
    if (!(min <= max))
        return call_fail(draw->call, POP_POPLAR_ERROR, "from %g to %g there are no numbers", min, max);
    if (!(min >= -largest - (type == POP_INT) && max <= largest))
        return call_fail(draw->call, POP_POPLAR_ERROR, "not all numbers from %g to %g are values of type %s", min, max,
                         pop_type_name(type));
    if (!(*low <= *high))
        return call_fail(draw->call, POP_POPLAR_ERROR, "from %g to %g there is no value of type %s", min, max,
                         pop_type_name(type));
    return true;
}

/* ---- the distributions ---- */

pop_tensor poprand_uniform_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed, uint32_t seed_modifier,
                              pop_tensor reference, pop_type out_type, double min, double max, pop_program sequence,
                              const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_tensor(master_seed), seed_modifier, reference, log_type(out_type), min, max,
                    name);
    struct draw request = { call, "Uniform", master_seed, seed_modifier, .fields = { { "low", 0 }, { "high", 0 } } };
    double low, high;
    if (!check(&request, reference, out_type, true) || !range_of(&request, out_type, min, max, &low, &high))
        return (pop_tensor){ 0 };
    request.fields[0].value = low;
    request.fields[1].value = high;
    if (out_type == POP_INT) {
        request.fields[1].name = NULL;
        request.wide_name = "count";
        request.wide = (uint64_t)(high - low) + 1;
    }
    return draw(&request, reference, out_type);
}

pop_tensor poprand_log_uniform_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                  uint32_t seed_modifier, pop_tensor reference, pop_type out_type, double min,
                                  double max, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_tensor(master_seed), seed_modifier, reference, log_type(out_type), min, max,
                    name);
    struct draw request = { call, "LogUniform", master_seed, seed_modifier, .fields = { { 0 } } };
    double low, high;
    if (!check(&request, reference, out_type, true) || !range_of(&request, out_type, min, max, &low, &high))
        return (pop_tensor){ 0 };
    if (!(low > 0)) {
        call_fail(call, POP_POPLAR_ERROR, "numbers below %g have no logarithm: the minimum must be above 0", min);
        return (pop_tensor){ 0 };
    }
    double end = out_type == POP_INT ? high + 1 : high; /* gives the last integer the same probability */
    const struct generator_field fields[] = {
        { "low", low }, { "high", high }, { "lowLog", log(low) }, { "highLog", log(end) }
    };
    memcpy(request.fields, fields, sizeof(fields));
    return draw(&request, reference, out_type);
}

static pop_tensor bernoulli(const struct call *call, const pop_tensor *master_seed, uint32_t seed_modifier,
                            pop_tensor reference, pop_type out_type, double probability)
{
    struct draw request = { call, "Bernoulli", master_seed, seed_modifier, .wide_name = "keep" };
    if (!check(&request, reference, out_type, true) || !check_probability(&request, probability))
        return (pop_tensor){ 0 };
    request.wide = units_of(probability);
    return draw(&request, reference, out_type);
}
pop_tensor poprand_bernoulli_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                uint32_t seed_modifier, pop_tensor reference, pop_type out_type, double probability,
                                pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_tensor(master_seed), seed_modifier, reference, log_type(out_type), probability,
                    name);
    return bernoulli(call, master_seed, seed_modifier, reference, out_type, probability);
}

pop_tensor poprand_normal_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed, uint32_t seed_modifier,
                             pop_tensor reference, pop_type out_type, double mean, double std_dev, pop_program sequence,
                             const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_tensor(master_seed), seed_modifier, reference, log_type(out_type), mean,
                    std_dev, name);
    struct draw request = { call, "Normal", master_seed, seed_modifier,
                            .fields = { { "mean", mean }, { "stdDev", std_dev } } };
    if (!check(&request, reference, out_type, false) || !check_moments(&request, mean, std_dev))
        return (pop_tensor){ 0 };
    return draw(&request, reference, out_type);
}

pop_tensor poprand_truncated_normal_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                       uint32_t seed_modifier, pop_tensor reference, pop_type out_type, double mean,
                                       double std_dev, double alpha, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_tensor(master_seed), seed_modifier, reference, log_type(out_type), mean,
                    std_dev, alpha, name);
    struct draw request = { call,          "TruncatedNormal",   master_seed,
                            seed_modifier, .fields = { { 0 } }, .unknown_draws = true };
    double low, high;
    if (!check(&request, reference, out_type, false) || !check_moments(&request, mean, std_dev))
        return (pop_tensor){ 0 };
    if (!(alpha > 0)) {
        call_fail(call, POP_POPLAR_ERROR, "numbers within %g standard deviations are wanted; it must be more than 0",
                  alpha);
        return (pop_tensor){ 0 };
    }
    if (!range_of(&request, out_type, mean - alpha * std_dev, mean + alpha * std_dev, &low, &high))
        return (pop_tensor){ 0 };
    /* Enough iterations that one number in 10,000 remains, at most 4,096. */
    double iterations = ceil(-4 / log10(erfc(alpha / sqrt(2))));
    const struct generator_field fields[] = {
        { "mean", mean }, { "stdDev", std_dev }, { "alpha", fmin(alpha, 1e6) },
        { "low", low },   { "high", high },      { "iterations", fmin(fmax(iterations, 1), 4096) }
    };
    memcpy(request.fields, fields, sizeof(fields));
    return draw(&request, reference, out_type);
}

/* ---- dropout ---- */

pop_tensor poprand_dropout_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed, uint32_t seed_modifier,
                              pop_tensor input, pop_tensor reference, double keep_probability, double scale,
                              pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_tensor(master_seed), seed_modifier, input, reference, keep_probability, scale,
                    name);
    struct draw request = {
        call, "Dropout", master_seed, seed_modifier, .fields = { { "scale", scale } }, .wide_name = "keep", .wide = 0
    };
    if (!call_ready(call) || !call_takes(call, "the input", input) ||
        !check(&request, reference, pop_tensor_type(input), false) || !check_probability(&request, keep_probability))
        return (pop_tensor){ 0 };
    if (!poplibs_shapes_equal(input, reference)) {
        char of_input[128], of_reference[128];
        call_fail(call, POP_POPLAR_ERROR, "the input has shape %s and the reference %s: they must be the same",
                  poplibs_shape_of(of_input, sizeof(of_input), input),
                  poplibs_shape_of(of_reference, sizeof(of_reference), reference));
        return (pop_tensor){ 0 };
    }
    request.wide = units_of(keep_probability);
    request.in = pop_tensor_flatten(input);
    return draw(&request, reference, pop_tensor_type(input));
}

pop_tensor poprand_shaped_dropout_at(pop_where where, pop_graph *graph, const pop_tensor *master_seed,
                                     uint32_t seed_modifier, pop_tensor input, pop_tensor reference,
                                     double keep_probability, double scale, pop_program sequence, const char *name)
{
    POPLIBS_CALL_IN(sequence, graph, log_tensor(master_seed), seed_modifier, input, reference, keep_probability, scale,
                    name);
    if (!call_ready(call) || !call_takes(call, "the input", input))
        return (pop_tensor){ 0 };
    if (pop_tensor_type(input) != POP_HALF && pop_tensor_type(input) != POP_FLOAT) {
        call_fail(call, POP_TYPE_ERROR, "the input has elements of type %s; half or float is needed",
                  pop_type_name(pop_tensor_type(input)));
        return (pop_tensor){ 0 };
    }
    pop_tensor mask = bernoulli(call, master_seed, seed_modifier, reference, pop_tensor_type(input), keep_probability);
    if (!call_ready(call))
        return (pop_tensor){ 0 };
    if (scale != 1)
        call_binary_in_place(call, POPOPS_BINARY_MULTIPLY, mask, popops_operand_of_double(scale), name);
    size_t rank = pop_tensor_rank(input), *dims = poplibs_new(rank, sizeof(*dims));
    for (size_t i = 0; i < rank; ++i)
        dims[i] = pop_tensor_dim(input, (unsigned)i);
    bool fits = poputil_broadcast_to_match_shape(&mask, (pop_shape){ rank, dims });
    free(dims);
    if (!fits)
        return (pop_tensor){ 0 };
    return call_binary(call, POPOPS_BINARY_MULTIPLY, input, mask, name);
}
