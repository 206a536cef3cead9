/* SPDX-License-Identifier: Apache-2.0 */
/* The beam search: a loop over time steps with two compute sets. Partitions of the classes find the best extensions
 * of labels by one symbol in parallel; then one tile for each entry of the batch selects the new beams. */
#include "popnn/ctc/ctc.h"

#include "poplibs/log.h"
#include "popnn/ctc/ctc_beams.h"

#include <math.h>
#include <popnn/ctc_inference.h>
#include <popnn/log_softmax.h>

/* ---- the plan ---- */

enum { MAX_BEAMS = 4096 };

static void estimate(popnn_ctc_plan *plan)
{
    uint64_t b = poplibs_ceil_div(plan->batch_size, plan->batch_splits),
             c = poplibs_ceil_div(plan->num_classes, plan->class_splits), w = plan->beamwidth;
    uint64_t serial = WORKERS * poplibs_ceil_div(b, WORKERS);
    uint64_t gathered = 4 * w * plan->class_splits; /* lists and last probabilities: 4 bytes each, 4 bytes per cycle */
    plan->cycles = plan->max_time * (serial * (ctc_extend_cycles(w, c) + ctc_select_cycles(w, plan->class_splits)) +
                                     b * (gathered + 4 * w) + 2 * (SYNC + EXCHANGE));
    plan->bytes = b * (plan->max_time * (c * pop_type_size(plan->in_type) + 8 * w) + 64 * w + 4 * gathered);
    plan->tiles = plan->batch_splits * plan->class_splits;
}

static popnn_ctc_plan search(popnn_ctc_plan of, const struct ctc_constraints *wanted, unsigned tiles)
{
    popnn_ctc_plan best = { 0 };
    for (of.batch_splits = 1; of.batch_splits <= poplibs_min(of.batch_size, tiles); ++of.batch_splits)
        for (of.class_splits = 1; of.class_splits <= poplibs_min(of.num_classes, tiles / of.batch_splits);
             ++of.class_splits) {
            if ((wanted->batch && wanted->batch != of.batch_splits) ||
                (wanted->classes && wanted->classes != of.class_splits) ||
                !ctc_parts_full(of.batch_size, of.batch_splits) || !ctc_parts_full(of.num_classes, of.class_splits))
                continue;
            estimate(&of);
            if (!best.tiles || ctc_better(&of, &best))
                best = of;
        }
    return best;
}

static bool check_sizes(const struct call *call, const popnn_ctc_plan *p)
{
    const struct {
        const char *what;
        unsigned value, min, max;
    } sizes[] = { { "the batch", p->batch_size, 1, UINT32_MAX },
                  { "the time", p->max_time, 1, UINT32_MAX },
                  { "the number of classes", p->num_classes, 2, UINT32_MAX },
                  { "the beam width", p->beamwidth, 1, MAX_BEAMS } };
    if (p->in_type != POP_HALF && p->in_type != POP_FLOAT)
        return call_fail(call, POP_TYPE_ERROR, "the data are %s; half or float is needed", pop_type_name(p->in_type));
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i)
        if (sizes[i].value < sizes[i].min || sizes[i].value > sizes[i].max)
            return call_fail(call, POP_POPLAR_ERROR, "%s is %u; it must be from %u to %u", sizes[i].what,
                             sizes[i].value, sizes[i].min, sizes[i].max);
    return call_fits_memory(call, "the data", (size_t)((double)p->batch_size * p->max_time * p->num_classes),
                            p->in_type);
}

popnn_ctc_plan popnn_ctc_infer_plan_at(pop_where where, pop_graph *graph, pop_type in_type, unsigned batch_size,
                                       unsigned max_time, unsigned num_classes, unsigned beamwidth, pop_options given)
{
    POPLIBS_CALL(graph, log_type(in_type), batch_size, max_time, num_classes, beamwidth, given);
    const popnn_ctc_plan none = { 0 };
    struct ctc_options options;
    struct ctc_constraints wanted;
    char text[256];
    if (!call_ready(call) || !ctc_parse_options(call, POPNN_CTC_INFERENCE, given, &options) ||
        !ctc_parse_constraints(call, POPNN_CTC_INFERENCE, options.constraints, &wanted))
        return none;
    popnn_ctc_plan of = { .purpose = POPNN_CTC_INFERENCE,
                          .in_type = in_type,
                          .out_type = in_type,
                          .partials_type = POP_FLOAT,
                          .batch_size = batch_size,
                          .max_time = max_time,
                          .num_classes = num_classes,
                          .beamwidth = beamwidth,
                          .time_splits = 1,
                          .label_splits = 1 };
    if (!check_sizes(call, &of))
        return none;
    unsigned tiles = pop_target_num_tiles(pop_graph_target(graph));
    popnn_ctc_plan best = search(of, &wanted, tiles);
    if (!best.tiles) {
        call_fail(call, POP_INVALID_OPTION, "no plan for %u tiles has the constraints '%s'", tiles,
                  options.constraints);
        return none;
    }
    popnn_ctc_plan_text(&best, text, sizeof(text));
    POPLIBS_LOG(INFO, "%s: %u steps, %u entries, %u classes: %s", call->api, max_time, batch_size, num_classes, text);
    return best;
}

/* ---- tensors ---- */

struct beam_search {
    const struct call *call;
    const popnn_ctc_plan *plan;
    const char *name;
    size_t batch, parts, time, beams, paths;
    unsigned blank;
    pop_tensor *data;                           /* by partition of the classes: {batch, time, classes} */
    pop_tensor values, sources, symbols, lasts; /* {batch, partition, beams} */
    pop_tensor blanks, counts; /* {batch, partition}; {batch, partition + 1}, the last for the selecting vertex */
    pop_tensor pb, pnb, total; /* {batch, 2, beams} */
    pop_tensor last, prefix, length, hash, prefix_hash;
    pop_tensor parent, addend; /* {batch, time, beams} */
    pop_tensor valid;          /* {batch} */
};

static unsigned tile_of(const popnn_ctc_plan *plan, size_t entry, size_t part)
{
    return (unsigned)(ctc_batch_part(plan, entry) * plan->class_splits + part);
}

/* Data {time, batch, classes}, created for each partition of the classes on its tile. */
static void make_data(const struct call *call, const popnn_ctc_plan *plan, pop_type type, const char *name,
                      pop_tensor *parts)
{
    for (size_t part = 0; part < plan->class_splits; ++part) {
        pop_interval classes = ctc_part(plan->num_classes, plan->class_splits, part);
        parts[part] = pop_graph_add_variable(
            call->graph, type, POP_SHAPE(plan->batch_size, plan->max_time, classes.end - classes.begin), name);
        for (size_t entry = 0; entry < plan->batch_size; ++entry)
            pop_graph_set_tile_mapping(call->graph, pop_tensor_at(parts[part], entry), tile_of(plan, entry, part));
    }
}

pop_tensor popnn_ctc_infer_create_data_input_at(pop_where where, pop_graph *graph, pop_type type, size_t batch_size,
                                                size_t max_time, size_t num_classes, const popnn_ctc_plan *plan,
                                                const char *name)
{
    POPLIBS_CALL(graph, log_type(type), batch_size, max_time, num_classes, name);
    const pop_tensor none = { 0 };
    if (!call_ready(call) || !ctc_check_plan(call, plan, POPNN_CTC_INFERENCE, batch_size, max_time, num_classes))
        return none;
    if (type != POP_HALF && type != POP_FLOAT) {
        call_fail(call, POP_TYPE_ERROR, "the data cannot be %s; half or float is needed", pop_type_name(type));
        return none;
    }
    pop_tensor *parts = poplibs_new(plan->class_splits, sizeof(*parts));
    make_data(call, plan, type, name, parts);
    pop_tensor joined = pop_tensor_concat((pop_tensors){ plan->class_splits, parts }, 2);
    free(parts);
    return pop_tensor_dim_shuffle(joined, POP_DIMS(1, 0, 2));
}

/* A variable {batch, a, b}, each entry on its selecting tile; by_part: element [entry][part] on the partition's
 * tile. */
static pop_tensor variable(const struct beam_search *s, pop_type type, size_t a, size_t b, bool by_part,
                           const char *what)
{
    const struct call *call = s->call;
    pop_tensor t = pop_graph_add_variable(call->graph, type, POP_SHAPE(s->batch, a, b), call_path(call, s->name, what));
    for (size_t entry = 0; entry < s->batch; ++entry)
        for (size_t part = 0; part < a; ++part)
            pop_graph_set_tile_mapping(call->graph, pop_tensor_at(pop_tensor_at(t, entry), part),
                                       tile_of(s->plan, entry, by_part && part < s->parts ? part : 0));
    return t;
}
static void make_tensors(struct beam_search *s)
{
    s->data = poplibs_new(s->parts, sizeof(*s->data));
    make_data(s->call, s->plan, s->plan->in_type, s->name, s->data);
    s->values = variable(s, POP_FLOAT, s->parts, s->beams, true, "values");
    s->sources = variable(s, POP_UNSIGNED_INT, s->parts, s->beams, true, "beams");
    s->symbols = variable(s, POP_UNSIGNED_INT, s->parts, s->beams, true, "symbols");
    s->lasts = variable(s, POP_FLOAT, s->parts, s->beams, true, "lastProbabilities");
    s->blanks = variable(s, POP_FLOAT, s->parts, 1, true, "blankProbabilities");
    s->counts = variable(s, POP_UNSIGNED_INT, s->parts + 1, 1, true, "counts");
    s->pb = variable(s, POP_FLOAT, 2, s->beams, false, "pb");
    s->pnb = variable(s, POP_FLOAT, 2, s->beams, false, "pnb");
    s->total = variable(s, POP_FLOAT, 2, s->beams, false, "total");
    s->last = variable(s, POP_UNSIGNED_INT, 2, s->beams, false, "last");
    s->prefix = variable(s, POP_UNSIGNED_INT, 2, s->beams, false, "prefix");
    s->length = variable(s, POP_UNSIGNED_INT, 2, s->beams, false, "length");
    s->hash = variable(s, POP_UNSIGNED_INT, 2, s->beams, false, "hash");
    s->prefix_hash = variable(s, POP_UNSIGNED_INT, 2, s->beams, false, "prefixHash");
    s->parent = variable(s, POP_UNSIGNED_INT, s->time, s->beams, false, "parent");
    s->addend = variable(s, POP_UNSIGNED_INT, s->time, s->beams, false, "addend");
}

/* ---- the program ---- */

static void copy(const struct beam_search *s, pop_tensor from, pop_tensor to)
{
    const struct call *call = s->call;
    call_copy(call, from, to, s->name);
}
/* Sets all elements of t to a value. */
static void fill(const struct beam_search *s, pop_tensor t, const void *value)
{
    const struct call *call = s->call;
    pop_type type = pop_tensor_type(t);
    pop_tensor one = pop_graph_add_constant_fill(call->graph, type, POP_SHAPE(1), type, value, "start");
    pop_graph_set_tile_mapping(call->graph, one, 0);
    t = pop_tensor_flatten(t);
    copy(s, pop_tensor_broadcast(one, (unsigned)pop_tensor_num_elements(t), 0), t);
}
/* Initially there is one beam: the empty label, with probability 1. */
static void begin(const struct beam_search *s, pop_tensor data, pop_tensor lengths)
{
    const struct call *call = s->call;
    const float sure = 0, never = -INFINITY;
    const uint32_t zero = 0, none = UINT32_MAX;
    pop_tensor by_entry = pop_tensor_dim_shuffle(data, POP_DIMS(1, 0, 2));
    for (size_t part = 0; part < s->parts; ++part) {
        pop_interval classes = ctc_part(s->plan->num_classes, s->parts, part);
        copy(s, pop_tensor_slice(by_entry, classes.begin, classes.end, 2), s->data[part]);
    }
    copy(s, lengths, s->valid);
    const pop_tensor reals[] = { s->pb, s->pnb, s->total };
    for (size_t i = 0; i < 3; ++i)
        fill(s, reals[i], &never);
    for (size_t i = 0; i < 3; i += 2) {
        pop_tensor row = pop_tensor_slice(reals[i], 0, 1, 1);
        fill(s, pop_tensor_slice(row, 0, 1, 2), &sure);
    }
    fill(s, s->last, &none);
    fill(s, s->prefix, &none);
    const pop_tensor zeros[] = { s->length, s->hash, s->prefix_hash, s->counts };
    for (size_t i = 0; i < sizeof(zeros) / sizeof(zeros[0]); ++i)
        fill(s, zeros[i], &zero);
    const pop_tensor later[] = { s->parent, s->addend, s->values, s->sources, s->symbols, s->lasts, s->blanks };
    for (size_t i = 0; i < sizeof(later) / sizeof(later[0]); ++i)
        pop_sequence_add(call->sequence, pop_write_undef(later[i], s->name));
}

struct beam_edge {
    const char *field;
    pop_tensor tensor;
};
static pop_tensor entry_of(const struct beam_search *s, pop_tensor t, size_t entry)
{
    const struct call *call = s->call;
    return pop_tensor_flatten(pop_tensor_at(t, entry));
}
static pop_tensor part_of(const struct beam_search *s, pop_tensor t, size_t entry, size_t part)
{
    const struct call *call = s->call;
    return pop_tensor_at(pop_tensor_at(t, entry), part);
}
static pop_vertex add_vertex(const struct beam_search *s, pop_compute_set set, const char *type, unsigned tile,
                             const struct beam_edge *edges, size_t count)
{
    const struct call *call = s->call;
    pop_vertex vertex = call_vertex(call, set, type, tile);
    for (size_t i = 0; i < count; ++i)
        call_connect(call, vertex, edges[i].field, edges[i].tensor);
    call_set(call, vertex, "maxTime", s->time);
    return vertex;
}

static void add_extend(const struct beam_search *s, pop_compute_set set, size_t entry, size_t part)
{
    const struct call *call = s->call;
    pop_interval classes = ctc_part(s->plan->num_classes, s->parts, part);
    const struct beam_edge edges[] = {
        { "probabilities", entry_of(s, s->data[part], entry) },
        { "pb", entry_of(s, s->pb, entry) },
        { "total", entry_of(s, s->total, entry) },
        { "last", entry_of(s, s->last, entry) },
        { "prefix", entry_of(s, s->prefix, entry) },
        { "validTime", pop_tensor_at(s->valid, entry) },
        { "count", pop_tensor_at(part_of(s, s->counts, entry, part), 0) },
        { "values", part_of(s, s->values, entry, part) },
        { "beams", part_of(s, s->sources, entry, part) },
        { "symbols", part_of(s, s->symbols, entry, part) },
        { "lastProbabilities", part_of(s, s->lasts, entry, part) },
        { "blankProbability", pop_tensor_at(part_of(s, s->blanks, entry, part), 0) },
    };
    pop_vertex vertex = add_vertex(
        s, set, s->plan->in_type == POP_HALF ? "popnn::CTCExtendBeams<half>" : "popnn::CTCExtendBeams<float>",
        tile_of(s->plan, entry, part), edges, sizeof(edges) / sizeof(edges[0]));
    call_set(call, vertex, "classes", classes.end - classes.begin);
    call_set(call, vertex, "first", classes.begin);
    pop_graph_set_field_int(call->graph, vertex, "blankClass", s->blank);
}
static void add_select(const struct beam_search *s, pop_compute_set set, size_t entry)
{
    const struct call *call = s->call;
    const struct beam_edge edges[] = {
        { "values", entry_of(s, s->values, entry) },
        { "beams", entry_of(s, s->sources, entry) },
        { "symbols", entry_of(s, s->symbols, entry) },
        { "lastProbabilities", entry_of(s, s->lasts, entry) },
        { "blankProbabilities", entry_of(s, s->blanks, entry) },
        { "pb", entry_of(s, s->pb, entry) },
        { "pnb", entry_of(s, s->pnb, entry) },
        { "total", entry_of(s, s->total, entry) },
        { "last", entry_of(s, s->last, entry) },
        { "prefix", entry_of(s, s->prefix, entry) },
        { "length", entry_of(s, s->length, entry) },
        { "hash", entry_of(s, s->hash, entry) },
        { "prefixHash", entry_of(s, s->prefix_hash, entry) },
        { "parent", entry_of(s, s->parent, entry) },
        { "addend", entry_of(s, s->addend, entry) },
        { "validTime", pop_tensor_at(s->valid, entry) },
        { "count", pop_tensor_at(part_of(s, s->counts, entry, s->parts), 0) },
    };
    add_vertex(s, set, "popnn::CTCSelectBeams", tile_of(s->plan, entry, 0), edges, sizeof(edges) / sizeof(edges[0]));
}
static popnn_ctc_paths add_labels(const struct beam_search *s)
{
    const struct call *call = s->call;
    pop_compute_set set = pop_graph_add_compute_set(call->graph, s->name);
    popnn_ctc_paths paths = { variable(s, s->plan->in_type, s->paths, 1, false, "probabilities"),
                              variable(s, POP_UNSIGNED_INT, s->paths, 1, false, "lengths"),
                              variable(s, POP_UNSIGNED_INT, s->paths, s->time, false, "labels") };
    for (size_t entry = 0; entry < s->batch; ++entry) {
        const struct beam_edge edges[] = {
            { "total", entry_of(s, s->total, entry) },
            { "length", entry_of(s, s->length, entry) },
            { "parent", entry_of(s, s->parent, entry) },
            { "addend", entry_of(s, s->addend, entry) },
            { "validTime", pop_tensor_at(s->valid, entry) },
            { "probabilities", entry_of(s, paths.probabilities, entry) },
            { "lengths", entry_of(s, paths.lengths, entry) },
            { "labels", entry_of(s, paths.labels, entry) },
        };
        pop_vertex vertex = add_vertex(
            s, set, s->plan->in_type == POP_HALF ? "popnn::CTCBeamLabels<half>" : "popnn::CTCBeamLabels<float>",
            tile_of(s->plan, entry, 0), edges, sizeof(edges) / sizeof(edges[0]));
        call_set(call, vertex, "beams", s->beams);
    }
    call_execute(call, set, s->name);
    paths.probabilities = pop_tensor_reshape(paths.probabilities, POP_SHAPE(s->batch, s->paths));
    paths.lengths = pop_tensor_reshape(paths.lengths, POP_SHAPE(s->batch, s->paths));
    return paths;
}

static popnn_ctc_paths build(struct beam_search *s, pop_tensor data, pop_tensor lengths)
{
    const struct call *call = s->call;
    pop_compute_set extend = pop_graph_add_compute_set(call->graph, s->name),
                    select = pop_graph_add_compute_set(call->graph, s->name);
    make_tensors(s);
    s->valid = pop_tensor_reshape(variable(s, POP_UNSIGNED_INT, 1, 1, false, "dataLengths"), POP_SHAPE(s->batch));
    begin(s, data, lengths);
    for (size_t entry = 0; entry < s->batch; ++entry) {
        for (size_t part = 0; part < s->parts; ++part)
            add_extend(s, extend, entry, part);
        add_select(s, select, entry);
    }
    pop_program body = pop_sequence(call->graph, s->name);
    pop_sequence_add(body, pop_execute(extend, s->name));
    pop_sequence_add(body, pop_execute(select, s->name));
    pop_sequence_add(call->sequence, pop_repeat((unsigned)s->time, body, s->name));
    popnn_ctc_paths paths = add_labels(s);
    free(s->data);
    return call_ready(call) ? paths : (popnn_ctc_paths){ 0 };
}

/* ---- calls ---- */

static popnn_ctc_paths run(const struct call *call, pop_tensor data, bool logits, pop_tensor lengths, unsigned blank,
                           unsigned beamwidth, unsigned paths, const popnn_ctc_plan *plan, pop_options given)
{
    const popnn_ctc_paths none = { 0 };
    struct ctc_options options;
    if (!call_ready(call) || !ctc_check_data(call, plan, POPNN_CTC_INFERENCE, data) ||
        !ctc_check_lengths(call, "the tensor of data lengths", lengths, plan) || !ctc_check_blank(call, blank, plan) ||
        !ctc_parse_options(call, POPNN_CTC_INFERENCE, given, &options))
        return none;
    if (beamwidth != plan->beamwidth || !paths || paths > beamwidth) {
        call_fail(call, POP_POPLAR_ERROR,
                  "%u paths of %u beams are wanted; the plan is for %u beams, and 1 to as many paths are possible",
                  paths, beamwidth, plan->beamwidth);
        return none;
    }
    const char *path = call_path(call, call->name, "CTCInference");
    if (logits)
        data = popnn_log_softmax(call->graph, data, call->sequence, path);
    if (!call_ready(call))
        return none;
    struct beam_search search = { .call = call,
                                  .plan = plan,
                                  .name = path,
                                  .batch = plan->batch_size,
                                  .parts = plan->class_splits,
                                  .time = plan->max_time,
                                  .beams = beamwidth,
                                  .paths = paths,
                                  .blank = blank };
    return build(&search, data, lengths);
}

popnn_ctc_paths popnn_ctc_beam_search_log_probabilities_at(pop_where where, pop_graph *graph, pop_tensor log_probs,
                                                           pop_tensor data_lengths, pop_program sequence,
                                                           unsigned blank_class, unsigned beamwidth, unsigned top_paths,
                                                           const popnn_ctc_plan *plan, const char *name,
                                                           pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, log_probs, data_lengths, blank_class, beamwidth, top_paths, name, options);
    return run(call, log_probs, false, data_lengths, blank_class, beamwidth, top_paths, plan, options);
}
popnn_ctc_paths popnn_ctc_beam_search_logits_at(pop_where where, pop_graph *graph, pop_tensor logits,
                                                pop_tensor data_lengths, pop_program sequence, unsigned blank_class,
                                                unsigned beamwidth, unsigned top_paths, const popnn_ctc_plan *plan,
                                                const char *name, pop_options options)
{
    POPLIBS_CALL_IN(sequence, graph, logits, data_lengths, blank_class, beamwidth, top_paths, name, options);
    return run(call, logits, true, data_lengths, blank_class, beamwidth, top_paths, plan, options);
}
