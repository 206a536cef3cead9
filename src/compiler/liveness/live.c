/* SPDX-License-Identifier: Apache-2.0 */
/* live: at which steps each variable and each buffer takes memory.  A variable is killed when one compute set, or one
 * copy, writes all of it and reads none of it, or by WriteUndef. */
#include "compiler/liveness/live.h"
#include "compiler/liveness/liveness.h"

#include <assert.h>

/* Reads and writes of all steps, visited twice: to count and to fill. */
struct events {
    struct compiler *c;
    const struct live_inputs *in;
    struct live *live;
    struct set_accesses sets;
    struct view_sums *sums;
    uint8_t *kinds; /* by variable: all that happens to it, as FLOW_... */
    uint8_t *fixed; /* by variable: live all the time, whatever steps do */
    uint64_t *at;   /* by variable: where its next event goes */
    struct flow_event *list;
    uint32_t position;
    bool again; /* the step before did the same already: what it killed is in use */
    enum { LEARN, COUNT, FILL } mode;
};

/* For reports: what a step reads and writes. */
static void keep_access(struct events *e, uint32_t variable, uint8_t what)
{
    uint8_t access = (uint8_t)((what & FLOW_READ ? PLACED_READ : 0) | (what & FLOW_WRITE ? PLACED_WRITTEN : 0));
    if (access)
        *vec_push(&e->live->accesses) = (struct placement_access){ e->live->step.data[e->position], variable, access };
}

static void event(uint32_t variable, uint8_t what, void *context)
{
    struct events *e = context;
    assert(variable < e->c->store->variables.count);
    if (e->again && what & FLOW_KILL && what & FLOW_WRITE)
        what = FLOW_WRITE;
    if (e->mode == LEARN) {
        e->kinds[variable] |= what;
        keep_access(e, variable, what);
        return;
    }
    /* Without a kill, what is read is live everywhere. */
    if (e->fixed[variable] || ((e->kinds[variable] & FLOW_READ) && !(e->kinds[variable] & FLOW_KILL)))
        return;
    if (e->mode == FILL)
        e->list[e->at[variable]] = (struct flow_event){ e->position, what };
    ++e->at[variable];
}

/* A variable takes memory from the first step that writes some of it, and through the last that reads some. */
static uint8_t what_of_role(const struct set_access *a, uint8_t role)
{
    uint8_t here = a->what & ACCESS_WRITE_HERE, kill = a->what & ACCESS_KILL ? FLOW_KILL : 0;
    switch (role) {
    case ROLE_EXCHANGE_BEFORE:
        return a->what & ACCESS_READ_AWAY ? FLOW_READ : 0;
    case ROLE_COPY_BEFORE:
        return a->what & ACCESS_READ_HERE ? FLOW_READ : 0;
    case ROLE_SET:
        return (uint8_t)((a->what & ACCESS_READ_HERE ? FLOW_READ : 0) | (here ? FLOW_WRITE | kill : 0));
    case ROLE_COPY_AFTER:
        return here ? FLOW_WRITE : 0;
    case ROLE_EXCHANGE_AFTER:
        return (uint8_t)(a->what & ACCESS_WRITE_AWAY ? FLOW_WRITE | (here ? 0 : kill) : 0);
    default:
        return 0;
    }
}

static void events_of_set(struct events *e, const struct step_origin *origin)
{
    for (size_t i = e->sets.first[origin->set]; i < e->sets.first[origin->set + 1]; ++i) {
        uint8_t what = what_of_role(&e->sets.list.data[i], origin->role);
        if (what)
            event(e->sets.list.data[i].variable, what, e);
    }
}

static bool acts(const struct model_step *step, const struct program_node *n)
{
    if (step->kind == MODEL_SYNC)
        return n->kind == PROGRAM_EXECUTE;
    return step->kind != MODEL_SEQUENCE && step->kind != MODEL_REPEAT && step->kind != MODEL_IF &&
           step->kind != MODEL_IF_ELSE && step->kind != MODEL_CALL;
}

static void events_of_step(struct events *e, uint32_t step)
{
    struct compiler *c = e->c;
    assert(step < e->in->steps->origins.count && e->in->steps->origins.count == c->image->model.steps.count);
    const struct step_origin *origin = &e->in->steps->origins.data[step];
    e->again = false;
    if (origin->set != NONE) {
        /* an exchange between IPUs and one within them: the second does not kill again */
        uint32_t before = e->position ? e->live->step.data[e->position - 1] : NONE;
        e->again = origin->role == ROLE_EXCHANGE_AFTER && before != NONE &&
                   e->in->steps->origins.data[before].set == origin->set &&
                   e->in->steps->origins.data[before].role == ROLE_EXCHANGE_AFTER;
        events_of_set(e, origin);
        return;
    }
    if (origin->node == NONE || !acts(&c->image->model.steps.data[step], c->store->programs.data[origin->node]))
        return;
    const struct step_origin *last =
        e->position ? &e->in->steps->origins.data[e->live->step.data[e->position - 1]] : NULL;
    bool moves = origin->merged || origin->role == ROLE_COPY || origin->role == ROLE_EXCHANGE_BEFORE;
    e->again = moves && last && last->node == origin->node && last->set == NONE && last->merged == origin->merged &&
               (!origin->merged || last->first_merged == origin->first_merged);
    for (uint32_t i = 0; i < origin->merged; ++i)
        accesses_of_node(c, e->sums, c->store->programs.data[e->in->steps->merged.data[origin->first_merged + i]],
                         event, e);
    if (!origin->merged)
        accesses_of_node(c, e->sums, c->store->programs.data[origin->node], event, e);
}

static void events_of_all(struct events *e)
{
    for (e->position = 0; e->position < e->live->step.count; ++e->position)
        events_of_step(e, e->live->step.data[e->position]);
}

bool live_is_constant(const struct compiler *c, uint32_t variable)
{
    return c->store->variables.data[variable].constant;
}

static void fix_view(struct events *e, const struct view *view)
{
    for (uint32_t i = 0; i < view->piece_count; ++i)
        e->fixed[view->pieces[i].variable] = 1;
}

/* Tensors with handles are always live: the host may access them between any two programs. */
static void fix_handles(struct events *e)
{
    const pop_store *store = e->c->store;
    for (size_t i = 0; i < store->host_reads.count; ++i)
        fix_view(e, store->host_reads.data[i].view);
    for (size_t i = 0; i < store->host_writes.count; ++i)
        fix_view(e, store->host_writes.data[i].view);
    for (uint32_t v = 0; v < store->variables.count; ++v)
        e->fixed[v] |= live_is_constant(e->c, v);
}

static uint64_t hash_spans(const struct flow_span *spans, size_t count)
{
    uint64_t hash = count;
    for (size_t i = 0; i < count; ++i) {
        hash = (hash ^ ((uint64_t)spans[i].first << 32 | spans[i].last)) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 31;
    }
    return hash;
}

static void grow_slots(struct live *live)
{
    live->slot_count = live->slot_count ? live->slot_count * 2 : 256;
    free(live->slots);
    live->slots = mem_zero(live->slot_count, sizeof(*live->slots));
    for (uint32_t i = 0; i < live->classes.count; ++i) {
        size_t at = hash_spans(live->spans.data + live->classes.data[i].first, live->classes.data[i].count) &
                    (live->slot_count - 1);
        while (live->slots[at])
            at = (at + 1) & (live->slot_count - 1);
        live->slots[at] = i + 1;
    }
}

uint32_t live_class_of(struct live *live, const flow_spans *spans)
{
    if (2 * (live->classes.count + 1) > live->slot_count)
        grow_slots(live);
    assert((live->slot_count & (live->slot_count - 1)) == 0 && live->classes.count < live->slot_count);
    size_t at = hash_spans(spans->data, spans->count) & (live->slot_count - 1),
           bytes = spans->count * sizeof(*spans->data);
    for (; live->slots[at]; at = (at + 1) & (live->slot_count - 1)) {
        const struct live_class *class = &live->classes.data[live->slots[at] - 1];
        if (class->count == spans->count && (!bytes || !memcmp(live->spans.data + class->first, spans->data, bytes)))
            return live->slots[at] - 1;
    }
    *vec_push(&live->classes) = (struct live_class){ live->spans.count, (uint32_t)spans->count };
    if (bytes)
        memcpy(vec_extend(&live->spans, spans->count), spans->data, bytes);
    live->slots[at] = (uint32_t)live->classes.count;
    return live->slots[at] - 1;
}

/* Never and always have the first two numbers. */
static void first_classes(struct live *live)
{
    flow_spans spans = { 0 };
    live_class_of(live, &spans);
    *vec_push(&spans) = (struct flow_span){ 0, live->step.count ? (uint32_t)live->step.count - 1 : 0 };
    live_class_of(live, &spans);
    assert(live->classes.count == LIVE_ALWAYS + 1);
    vec_free(&spans);
}

static void classify(struct events *e, const uint64_t *first)
{
    struct compiler *c = e->c;
    for (uint32_t v = 0; v < c->store->variables.count; ++v) {
        if (e->in->storage->offset[v] == NO_STORAGE)
            continue;
        if (e->fixed[v] || ((e->kinds[v] & FLOW_READ) && !(e->kinds[v] & FLOW_KILL))) {
            e->live->class_of[v] = LIVE_ALWAYS;
            continue;
        }
        assert(first[v] <= first[v + 1] && e->at[v] == first[v + 1]); /* filled as far as was counted */
        flow_solve(&e->live->flow, e->list + first[v], first[v + 1] - first[v]);
        e->live->class_of[v] = live_class_of(e->live, &e->live->flow.spans);
    }
}

static void solve_variables(struct events *e)
{
    size_t variables = e->c->store->variables.count;
    uint64_t *first = mem_zero(variables + 1, sizeof(*first)), sum = 0;
    e->at = mem_zero(variables + 1, sizeof(*e->at));
    e->mode = LEARN;
    events_of_all(e);
    e->mode = COUNT;
    events_of_all(e);
    for (size_t v = 0; v <= variables; ++v) {
        first[v] = sum;
        sum += v < variables ? e->at[v] : 0;
        e->at[v] = first[v];
    }
    e->list = mem_alloc((sum + !sum) * sizeof(*e->list));
    e->mode = FILL;
    events_of_all(e);
    classify(e, first);
    free(first);
    free(e->at);
    free(e->list);
}

uint32_t live_variable_name(struct compiler *c, const struct live *live, uint32_t variable)
{
    const char *name = variable_name(c, variable);
    if (!*name)
        return compiler_string(c, live_is_constant(c, variable) ? "<const>" : "<anon>");
    uint32_t *known = &live->names[c->store->variables.data[variable].name]; /* a million variables may have one name */
    if (!*known)
        *known = compiler_string(c, name);
    return *known;
}

static struct live *live_create(struct compiler *c)
{
    struct live *live = ARENA_NEW(&c->model, struct live);
    size_t variables = c->store->variables.count;
    arena_adopt_vec(&c->model, &live->step);
    arena_adopt_vec(&c->model, &live->spans);
    arena_adopt_vec(&c->model, &live->classes);
    arena_adopt_vec(&c->model, &live->buffers);
    arena_adopt_vec(&c->model, &live->bytes);
    arena_adopt_vec(&c->model, &live->constants);
    arena_adopt_vec(&c->model, &live->accesses);
    live->class_of = arena_zero(&c->model, variables, sizeof(*live->class_of));
    live->names = arena_zero(&c->model, c->store->names.names.count, sizeof(*live->names));
    live->alignment = arena_zero(&c->model, variables, sizeof(*live->alignment));
    live->interleaved = arena_zero(&c->model, variables, sizeof(*live->interleaved));
    return live;
}

const struct live *pass_live(struct compiler *c, const struct live_inputs *in)
{
    size_t variables = c->store->variables.count;
    if (!c->modelled)
        return ARENA_NEW(&c->model, struct live);
    struct live *live = live_create(c);
    struct events e = { .c = c, .in = in, .live = live };
    live_tree(c, in->steps, live);
    first_classes(live);
    accesses_of_sets(c, in, live, &e.sets);
    e.sums = view_sums_create(c);
    e.kinds = mem_zero(variables, sizeof(*e.kinds));
    e.fixed = mem_zero(variables, sizeof(*e.fixed));
    fix_handles(&e);
    solve_variables(&e);
    live_buffers(c, in, live, &e.sets);
    view_sums_free(e.sums);
    accesses_free(&e.sets);
    free(e.kinds);
    free(e.fixed);
    flow_free(&live->flow);
    free(live->slots);
    live->slots = NULL;
    return live;
}
