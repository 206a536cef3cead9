/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers that live from the step that fills them to the step that uses them: what a set reads from other tiles, what
 * is rearranged for it, what it writes for other tiles; sub-words sent to or from the host; the values that Switches
 * read. */
#include "compiler/common/owners.h"
#include "compiler/liveness/live.h"
#include "compiler/liveness/liveness.h"
#include "graph/view/view.h"

#include <assert.h>

struct buffer_span {
    uint32_t buffer;
    struct flow_span span;
};
/* Where the steps of one execution of a set begin to fill its buffers. */
struct set_start {
    uint32_t at[LIVE_SET_BUFFERS];
};
struct buffers {
    struct compiler *c;
    const struct live_inputs *in;
    struct live *live;
    struct set_start *starts; /* by set */
    VEC(struct buffer_span) spans;
    struct owners owners;
    uint32_t *host_buffer; /* by entry of merged: buffer of the group that begins there + 1 */
};

static void hold(struct buffers *b, uint32_t buffer, uint32_t first, uint32_t last)
{
    if (buffer != NONE)
        *vec_push(&b->spans) = (struct buffer_span){ buffer, { first, last } };
}

static uint32_t add_buffer(struct buffers *b, enum model_category category, const char *name)
{
    *vec_push(&b->live->buffers) = (struct live_buffer){ .category = (uint8_t)category,
                                                         .name = compiler_string(b->c, name),
                                                         .first = b->live->bytes.count };
    return (uint32_t)b->live->buffers.count - 1;
}

static void add_bytes(struct buffers *b, uint32_t tile, uint64_t bytes, bool sends)
{
    assert(b->live->buffers.count && tile < pop_target_num_tiles(&b->c->store->target));
    *vec_push(&b->live->bytes) = (struct tile_bytes){ tile, sends, bytes };
    ++b->live->buffers.data[b->live->buffers.count - 1].count;
}

/* The buffer of what tiles receive (or send) in an exchange; NONE when it is nothing. */
static uint32_t exchange_buffer(struct buffers *b, enum model_category category, const char *name,
                                const struct model_exchange *exchange, bool sent)
{
    const struct model *model = &b->c->image->model;
    uint32_t buffer = add_buffer(b, category, name);
    for (uint64_t i = exchange->first_flow; i < exchange->first_flow + exchange->flows; ++i) {
        const struct model_flow *flow = &model->flows.data[i];
        uint64_t bytes = sent ? flow->sent : flow->received;
        for (uint32_t tile = flow->tile; bytes && tile < flow->tile + flow->tiles; ++tile)
            add_bytes(b, tile, bytes, flow->sent > 0);
    }
    if (b->live->buffers.data[buffer].count)
        return buffer;
    --b->live->buffers.count;
    return NONE;
}

static uint32_t arranged_buffer(struct buffers *b, const char *name, uint64_t first, uint32_t count)
{
    if (!count)
        return NONE;
    assert(first + count <= b->in->exchange->rearranged.count);
    uint32_t buffer = add_buffer(b, MODEL_REARRANGEMENT_CATEGORY, name);
    for (uint64_t i = first; i < first + count; ++i)
        add_bytes(b, b->in->exchange->rearranged.data[i].tile, b->in->exchange->rearranged.data[i].bytes, true);
    return buffer;
}

static int by_tile(const void *left, const void *right)
{
    const struct tile_bytes *a = left, *b = right;
    return a->tile < b->tile ? -1 : a->tile > b->tile;
}

/* Tiles with elements of their own in an operand that they receive, or write, in parts send these to themselves; both
 * buffers are by tile. */
static void note_senders(const struct buffers *b, const struct live_buffer *message, const struct live_buffer *arranged)
{
    struct tile_bytes *received = b->live->bytes.data + message->first;
    for (uint64_t i = arranged->first; i < arranged->first + arranged->count; ++i) {
        struct tile_bytes *found =
            bsearch(&b->live->bytes.data[i], received, message->count, sizeof(*received), by_tile);
        if (found)
            found->sends = true;
    }
}

static const char *label(char *buffer, size_t size, const char *kind, const char *name)
{
    snprintf(buffer, size, "<%s:%s>", kind, name && *name ? name : "anon");
    return buffer;
}

enum { LABEL = 512 };

/* Messages are named after their variable, or after the set if it reads several variables from other tiles. */
static const char *message_name(const struct buffers *b, uint32_t set, const struct set_accesses *accesses)
{
    uint32_t only = NONE;
    for (size_t i = accesses->first[set]; i < accesses->first[set + 1]; ++i) {
        if (!(accesses->list.data[i].what & ACCESS_READ_AWAY))
            continue;
        if (only != NONE)
            return store_name(b->c->store, b->c->store->sets.data[b->in->order->sets.data[set].set].name);
        only = accesses->list.data[i].variable;
    }
    return only == NONE ? "" : variable_name(b->c, only);
}

static void set_buffers(struct buffers *b, uint32_t set, const struct set_accesses *accesses)
{
    struct compiler *c = b->c;
    const struct model *model = &c->image->model;
    const struct step_plan *plan = &b->in->exchange->of_set[set];
    assert(plan->known && plan->set == set);
    uint32_t *of = b->live->set_buffers[set];
    const char *name = store_name(c->store, c->store->sets.data[b->in->order->sets.data[set].set].name);
    char text[LABEL];
    for (int kind = 0; kind < LIVE_SET_BUFFERS; ++kind)
        of[kind] = NONE;
    label(text, sizeof(text), "message", message_name(b, set, accesses));
    if (plan->exchange_before != NONE)
        of[LIVE_MESSAGE] =
            exchange_buffer(b, MODEL_MESSAGE_CATEGORY, text, &model->exchanges.data[plan->exchange_before], false);
    label(text, sizeof(text), "globalMessage", message_name(b, set, accesses));
    if (plan->global_before != NONE)
        of[LIVE_GLOBAL_MESSAGE] = exchange_buffer(b, MODEL_GLOBAL_MESSAGE_CATEGORY, text,
                                                  &model->global_exchanges.data[plan->global_before], false);
    for (int kind = LIVE_MESSAGE; kind <= LIVE_GLOBAL_MESSAGE; ++kind)
        if (of[kind] != NONE)
            b->live->buffers.data[of[kind]].row = plan->longest;
    label(text, sizeof(text), "rearrangement", name);
    of[LIVE_ARRANGED_BEFORE] = arranged_buffer(b, text, plan->first_rearranged, plan->rearranged_before);
    of[LIVE_ARRANGED_AFTER] =
        arranged_buffer(b, text, plan->first_rearranged + plan->rearranged_before, plan->rearranged_after);
    for (int kind = LIVE_ARRANGED_BEFORE; kind <= LIVE_ARRANGED_AFTER; ++kind)
        if (of[LIVE_MESSAGE] != NONE && of[kind] != NONE)
            note_senders(b, &b->live->buffers.data[of[LIVE_MESSAGE]], &b->live->buffers.data[of[kind]]);
    label(text, sizeof(text), "outputEdge", name);
    if (plan->exchange_after != NONE)
        of[LIVE_OUTPUT] =
            exchange_buffer(b, MODEL_OUTPUT_EDGE_CATEGORY, text, &model->exchanges.data[plan->exchange_after], true);
    if (plan->global_after != NONE)
        of[LIVE_GLOBAL_OUTPUT] = exchange_buffer(b, MODEL_OUTPUT_EDGE_CATEGORY, text,
                                                 &model->global_exchanges.data[plan->global_after], true);
    for (int kind = LIVE_ARRANGED_AFTER; kind <= LIVE_GLOBAL_OUTPUT; ++kind)
        if (of[kind] != NONE)
            b->live->buffers.data[of[kind]].result = true;
}

static void set_step(struct buffers *b, uint32_t position, const struct model_step *step,
                     const struct step_origin *origin)
{
    const uint32_t *of = b->live->set_buffers[origin->set];
    uint32_t *start = b->starts[origin->set].at;
    bool global = step->kind == MODEL_GLOBAL_EXCHANGE;
    switch (origin->role) {
    case ROLE_EXCHANGE_BEFORE:
        start[global ? LIVE_GLOBAL_MESSAGE : LIVE_MESSAGE] = position;
        break;
    case ROLE_COPY_BEFORE:
        start[LIVE_ARRANGED_BEFORE] = position;
        break;
    case ROLE_SET:
        for (int kind = LIVE_MESSAGE; kind <= LIVE_ARRANGED_BEFORE; ++kind)
            hold(b, of[kind], start[kind], position);
        start[LIVE_OUTPUT] = position;
        break;
    case ROLE_COPY_AFTER:
        hold(b, of[LIVE_ARRANGED_AFTER], start[LIVE_OUTPUT], position);
        break;
    case ROLE_EXCHANGE_AFTER:
        hold(b, of[global ? LIVE_GLOBAL_OUTPUT : LIVE_OUTPUT], start[LIVE_OUTPUT], position);
        break;
    default:
        break;
    }
}

/* ---- the host ---- */

/* Exchange moves words: what is not made of words is packed in a buffer on its tile (inferred: no source has a figure
 * for hostMessage). */
enum { WORD = 4 };
struct sub_words {
    struct buffers *b;
    unsigned element;
    uint64_t *bytes; /* by tile */
    VEC(uint32_t) touched;
};

static bool sub_word_run(const struct run *run, void *context)
{
    struct sub_words *s = context;
    for (struct run left = *run; left.count;) {
        uint64_t stop, end = left.offset + left.count;
        uint32_t tile = owners_find(&s->b->owners, left.variable, left.offset, &stop);
        stop = stop < end ? stop : end;
        uint64_t bytes = (stop - left.offset) * s->element;
        if ((bytes % WORD || left.offset * s->element % WORD) && tile != HOME_EVERYWHERE && tile != UNMAPPED_TILE) {
            if (!s->bytes[tile])
                *vec_push(&s->touched) = tile;
            s->bytes[tile] += align_up(bytes, WORD);
        }
        left.count = end - stop;
        left.offset = stop;
    }
    return true;
}

static void sub_words_of(struct sub_words *s, const struct view *view)
{
    s->element = (unsigned)pop_type_size((pop_type)view->type);
    if (s->element < WORD)
        view_each_run(view, sub_word_run, s);
}

static int by_number(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static void add_sub_words(struct sub_words *s, const struct step_origin *origin)
{
    const struct compiler *c = s->b->c;
    for (uint32_t i = 0; i < origin->merged; ++i) {
        const struct program_node *n = c->store->programs.data[s->b->in->steps->merged.data[origin->first_merged + i]];
        if (n->source || n->destination)
            sub_words_of(s, n->destination ? n->destination : n->source);
        for (size_t k = 0; k < n->operands.count; ++k)
            sub_words_of(s, n->operands.data[k]);
    }
}

/* What tiles take in equal shares and sort among each other is in a buffer on all of them, as much as the host sends
 * and receives. */
static void add_shares(struct sub_words *s, uint32_t position, const struct step_origin *origin)
{
    const struct compiler *c = s->b->c;
    const struct model *model = &c->image->model;
    for (; position < s->b->live->step.count; ++position) {
        uint32_t step = s->b->live->step.data[position];
        if (s->b->in->steps->origins.data[step].first_merged != origin->first_merged ||
            s->b->in->steps->origins.data[step].merged != origin->merged)
            return;
        if (model->steps.data[step].kind != MODEL_STREAM_COPY)
            continue;
        const struct model_exchange *exchange = &model->host_exchanges.data[model->steps.data[step].index];
        for (uint64_t i = exchange->first_flow; i < exchange->first_flow + exchange->flows; ++i) {
            const struct model_flow *flow = &model->flows.data[i];
            for (uint32_t tile = flow->tile; tile < flow->tile + flow->tiles; ++tile) {
                if (!s->bytes[tile] && flow->sent + flow->received)
                    *vec_push(&s->touched) = tile;
                s->bytes[tile] += flow->sent + flow->received;
            }
        }
    }
}

static uint32_t host_buffer(struct buffers *b, uint32_t position, const struct step_origin *origin, const char *name)
{
    struct sub_words s = { .b = b, .bytes = mem_zero(pop_target_num_tiles(&b->c->store->target), sizeof(*s.bytes)) };
    uint32_t buffer = NONE;
    if (origin->buffered)
        add_shares(&s, position, origin);
    else
        add_sub_words(&s, origin);
    if (s.touched.count) {
        char text[LABEL];
        buffer = add_buffer(b, MODEL_HOST_MESSAGE_CATEGORY, label(text, sizeof(text), "hostMessage", name));
        qsort(s.touched.data, s.touched.count, sizeof(uint32_t), by_number);
        for (size_t i = 0; i < s.touched.count; ++i)
            add_bytes(b, s.touched.data[i], s.bytes[s.touched.data[i]], false);
    }
    vec_free(&s.touched);
    free(s.bytes);
    return buffer;
}

static void stream_step(struct buffers *b, uint32_t position, const struct model_step *step,
                        const struct step_origin *origin)
{
    assert(origin->first_merged + origin->merged <= b->in->steps->merged.count);
    uint32_t *known = &b->host_buffer[origin->first_merged];
    if (!*known)
        *known = host_buffer(b, position, origin, image_string(b->c->image, step->name)) +
                 1; /* a stream without a buffer (NONE + 1 == 0) is looked up again each time; this is rare */
    hold(b, *known - 1, position, position);
}

/* ---- Switches ---- */

static uint32_t switch_behind(const struct buffers *b, uint32_t position)
{
    while (position < b->live->step.count &&
           b->c->image->model.steps.data[b->live->step.data[position]].kind != MODEL_SWITCH)
        ++position;
    return position;
}

static void broadcast_step(struct buffers *b, uint32_t position, const struct model_step *step,
                           const struct step_origin *origin)
{
    const struct model *model = &b->c->image->model;
    const struct program_node *n = origin->node == NONE ? NULL : b->c->store->programs.data[origin->node];
    char text[LABEL];
    if (step->kind == MODEL_STREAM_COPY) { /* the second of the entry's brings the program's number */
        if (position && model->steps.data[b->live->step.data[position - 1]].kind == MODEL_STREAM_COPY) {
            uint32_t buffer = add_buffer(b, MODEL_CONTROL_ID_CATEGORY, "programId");
            add_bytes(b, 0, WORD, false);
            hold(b, buffer, position, switch_behind(b, position));
        }
        return;
    }
    if (step->kind != MODEL_EXCHANGE && step->kind != MODEL_GLOBAL_EXCHANGE)
        return;
    const struct model_exchange *exchange =
        step->kind == MODEL_EXCHANGE ? &model->exchanges.data[step->index] : &model->global_exchanges.data[step->index];
    if (n && n->control && n->control->piece_count)
        label(text, sizeof(text), "message", variable_name(b->c, n->control->pieces[0].variable));
    else
        snprintf(text, sizeof(text), "broadcastProgramId");
    uint32_t buffer = exchange_buffer(b, MODEL_CONTROL_ID_CATEGORY, text, exchange, false);
    hold(b, buffer, position, switch_behind(b, position));
}

static int by_buffer(const void *left, const void *right)
{
    const struct buffer_span *a = left, *b = right;
    if (a->buffer != b->buffer)
        return a->buffer < b->buffer ? -1 : 1;
    return a->span.first < b->span.first ? -1 : a->span.first > b->span.first;
}

static void classify(struct buffers *b)
{
    flow_spans spans = { 0 };
    if (b->spans.count)
        qsort(b->spans.data, b->spans.count, sizeof(*b->spans.data), by_buffer);
    for (size_t i = 0; i < b->spans.count;) {
        uint32_t buffer = b->spans.data[i].buffer;
        for (spans.count = 0; i < b->spans.count && b->spans.data[i].buffer == buffer; ++i)
            *vec_push(&spans) = b->spans.data[i].span;
        flow_join(&spans);
        b->live->buffers.data[buffer].class = live_class_of(b->live, &spans);
    }
    vec_free(&spans);
}

void live_buffers(struct compiler *c, const struct live_inputs *in, struct live *live,
                  const struct set_accesses *accesses)
{
    struct buffers b = { .c = c, .in = in, .live = live };
    owners_init(&b.owners, c->store, in->check);
    b.starts = mem_zero(in->order->sets.count, sizeof(*b.starts));
    live->set_buffers = arena_zero(&c->model, in->order->sets.count, sizeof(*live->set_buffers));
    b.host_buffer = mem_zero(in->steps->merged.count, sizeof(*b.host_buffer));
    for (uint32_t s = 0; s < in->order->sets.count; ++s)
        set_buffers(&b, s, accesses);
    for (uint32_t position = 0; position < live->step.count; ++position) {
        uint32_t index = live->step.data[position];
        const struct step_origin *origin = &in->steps->origins.data[index];
        struct model_step step = c->image->model.steps.data[index];
        if (origin->set != NONE)
            set_step(&b, position, &step, origin);
        else if (origin->merged)
            stream_step(&b, position, &step, origin);
        else if (origin->role == ROLE_BROADCAST || origin->role == ROLE_ENTRY)
            broadcast_step(&b, position, &step, origin);
    }
    classify(&b);
    owners_free(&b.owners);
    vec_free(&b.spans);
    free(b.starts);
    free(b.host_buffer);
}
