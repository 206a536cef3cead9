/* SPDX-License-Identifier: Apache-2.0 */
/* exchange: threads find the traffic of steps; what they found is added to the model's tables in the order of the
 * steps, so that the executable does not depend on the number of threads. Of equal steps the first is looked at. */
#include "compiler/exchange/exchange.h"
#include "compiler/exchange/same_steps.h"
#include "compiler/exchange/step_traffic.h"

#include "base/pool.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* Steps whose traffic is kept until those before them are added: a thread that is so far ahead waits. */
enum { AHEAD = 256 };

/* One plan per set, Copy and copy between replicas, however often programs run it. */
enum exchange_kind { STEP_SET, STEP_COPY, STEP_CROSS_COPY };
struct exchange_step {
    uint8_t kind;
    uint32_t index;          /* of sets, or of programs */
    uint32_t again;          /* steps that send the same and come later */
    uint32_t tile;           /* first one of its IPU: see step_key_of_set */
    struct step_draft *kept; /* for them; its tiles are from kept_tile on */
    uint32_t kept_tile;
};
struct exchanging {
    struct compiler *c;
    const struct order_result *order;
    struct exchange_result *result;
    VEC(struct exchange_step) steps;
    struct step_key *keys;   /* by step */
    uint32_t *same;          /* by step: the first one that sends the same, which may be itself */
    struct traffic *threads; /* one for each */
    unsigned thread_count;
    bool *local;             /* by set: it is known that nothing is exchanged */
    atomic_size_t next;      /* step to take */
    pthread_mutex_t lock;    /* of what follows, and of the model's tables */
    pthread_cond_t has_room; /* `added` grew */
    size_t added;            /* steps that are in the tables */
    struct step_draft drafts[AHEAD];
    bool found[AHEAD]; /* the draft is made */
};

static void list_steps(struct exchanging *e, const struct lower_result *lower)
{
    const struct image *image = e->c->image;
    assert(lower->op_node.count == image->ops.count);
    for (uint32_t s = 0; s < e->order->sets.count; ++s)
        *vec_push(&e->steps) = (struct exchange_step){ .kind = STEP_SET, .index = s };
    for (size_t i = 0; i < image->ops.count; ++i) {
        uint32_t node = lower->op_node.data[i];
        unsigned kind = image->ops.data[i].kind;
        if ((kind != OP_COPY && kind != OP_CROSS_COPY) || e->result->of_node[node].known)
            continue;
        e->result->of_node[node].known = true;
        *vec_push(&e->steps) =
            (struct exchange_step){ .kind = kind == OP_COPY ? STEP_COPY : STEP_CROSS_COPY, .index = node };
    }
}

/* ---- steps that send the same ---- */

static void describe_steps(void *context, uint32_t thread)
{
    struct exchanging *e = context;
    struct step_describer describer;
    (void)thread;
    step_describer_init(&describer, e->c->store, e->order);
    for (size_t i; (i = atomic_fetch_add(&e->next, 1)) < e->steps.count;) {
        struct exchange_step *step = &e->steps.data[i];
        if (!e->keys[i].a && !e->keys[i].b)
            continue;
        e->keys[i] = step->kind == STEP_SET
                         ? step_key_of_set(&describer, &e->order->sets.data[step->index], &step->tile)
                         : step_key_of_copy(&describer, e->c->store->programs.data[step->index], &step->tile);
    }
    step_describer_free(&describer);
}

/* Describes those steps that are alike at a glance. */
static void find_same(struct exchanging *e)
{
    size_t count = e->steps.count;
    e->keys = mem_zero(count, sizeof(*e->keys));
    e->same = mem_alloc(count * sizeof(*e->same));
    for (size_t i = 0; i < count; ++i) {
        const struct exchange_step *step = &e->steps.data[i];
        if (step->kind == STEP_SET)
            e->keys[i] = rough_key_of_set(e->order, &e->order->sets.data[step->index]);
        else if (step->kind == STEP_COPY)
            e->keys[i] = rough_key_of_copy(e->c->store->programs.data[step->index]);
    }
    same_steps_find(e->keys, count, e->same);
    for (size_t i = 0; i < count; ++i)
        ++e->steps.data[e->same[i]].again;
    for (size_t i = 0; i < count; ++i)
        if (e->steps.data[e->same[i]].again == 1)
            e->keys[i] = (struct step_key){ 0 };
    atomic_store(&e->next, 0);
    pool_run(e->c->pool, e->thread_count, describe_steps, e);
    same_steps_find(e->keys, count, e->same);
    for (size_t i = 0; i < count; ++i)
        e->steps.data[i].again = 0;
    for (size_t i = 0; i < count; ++i)
        e->steps.data[e->same[i]].again += e->same[i] != i;
}

/* ---- plans ---- */

static const struct step_plan no_plan = { true, NONE, NONE, NONE, NONE, NONE, NONE, NONE, 0, 0, 0, 0 };

/* draft: its lists are sorted. */
static struct step_plan set_plan(struct exchanging *e, uint32_t index, const struct step_draft *draft)
{
    tile_copies copies_before = draft->copies_before, copies_after = draft->copies_after;
    struct compiler *c = e->c;
    const char *name = store_name(c->store, c->store->sets.data[e->order->sets.data[index].set].name);
    char internal[TABLES_NAME], global[TABLES_NAME];
    struct step_plan plan = no_plan;
    struct exchange_pair before = drafts_add(&draft->before, c, tables_name(internal, name, "ExchangePre"),
                                             tables_name(global, name, "GlobalPre/GlobalExchange"));
    struct exchange_pair after = drafts_add(&draft->after, c, tables_name(internal, name, "ExchangePost"),
                                            tables_name(global, name, "GlobalPost/GlobalExchange"));
    plan.set = index;
    plan.longest = draft->longest;
    plan.exchange_before = before.internal;
    plan.global_before = before.global;
    plan.exchange_after = after.internal;
    plan.global_after = after.global;
    plan.first_rearranged = e->result->rearranged.count;
    plan.rearranged_before = tables_rearranged(&e->result->rearranged, &copies_before);
    plan.rearranged_after = tables_rearranged(&e->result->rearranged, &copies_after);
    plan.copy_before = tables_copies(c, tables_name(internal, name, "OnTileCopyPre"), &copies_before);
    plan.copy_after = tables_copies(c, tables_name(internal, name, "OnTileCopyPost"), &copies_after);
    return plan;
}

static struct step_plan copy_plan(struct exchanging *e, const struct program_node *n, const struct step_draft *draft)
{
    tile_copies copies_before = draft->copies_before;
    struct compiler *c = e->c;
    const char *name = store_name(c->store, n->name);
    char global[TABLES_NAME], local[TABLES_NAME];
    struct step_plan plan = no_plan;
    struct exchange_pair pair = drafts_add(&draft->before, c, name, tables_name(global, name, "GlobalExchange"));
    plan.exchange_before = pair.internal;
    plan.global_before = pair.global;
    plan.copy_before = tables_copies(c, tables_name(local, name, "OnTileCopy"), &copies_before);
    return plan;
}

static void free_draft(struct step_draft *draft)
{
    drafts_free(&draft->before);
    drafts_free(&draft->after);
    vec_free(&draft->copies_before);
    vec_free(&draft->copies_after);
    *draft = (struct step_draft){ 0 };
}

/* owners: of the thread that calls. */
static void plan_step(struct exchanging *e, const struct exchange_step *step, const struct step_draft *draft,
                      struct owners *owners)
{
    if (step->kind == STEP_SET) {
        e->result->of_set[step->index] = set_plan(e, step->index, draft);
        return;
    }
    const struct program_node *n = e->c->store->programs.data[step->index];
    struct step_plan *plan = &e->result->of_node[step->index];
    *plan = step->kind == STEP_COPY ? copy_plan(e, n, draft) : no_plan;
    if (step->kind == STEP_CROSS_COPY)
        plan->global_before = cross_exchange(e->c, owners, n);
}

static void move_exchange(struct exchange_drafts *drafts, uint32_t distance)
{
    for (size_t i = 0; i < drafts->internal.flows.count; ++i)
        drafts->internal.flows.data[i].tile += distance;
    assert(!drafts->global.flows.count); /* all tiles are of one IPU */
}

static void move_copies(tile_copies *copies, uint32_t distance)
{
    for (size_t i = 0; i < copies->count; ++i)
        copies->data[i].tile += distance;
}

/* Moves what was kept to the tiles of another IPU. */
static void move_kept(struct exchange_step *first, uint32_t tile)
{
    uint32_t distance = tile - first->kept_tile; /* modulo 2^32 */
    first->kept_tile = tile;
    if (!distance)
        return;
    move_exchange(&first->kept->before, distance);
    move_exchange(&first->kept->after, distance);
    move_copies(&first->kept->copies_before, distance);
    move_copies(&first->kept->copies_after, distance);
}

static void add_step(struct exchanging *e, size_t index, struct owners *owners)
{
    struct step_draft *draft = &e->drafts[index % AHEAD];
    struct exchange_step *step = &e->steps.data[index], *first = &e->steps.data[e->same[index]];
    if (step != first) {
        assert(first->kept && first->again);
        move_kept(first, step->tile);
        plan_step(e, step, first->kept, owners);
        if (--first->again)
            return;
        free_draft(first->kept);
        free(first->kept);
        return;
    }
    plan_step(e, step, draft, owners);
    if (step->again) {
        step->kept = mem_copy(draft, sizeof(*draft));
        step->kept_tile = step->tile;
        *draft = (struct step_draft){ 0 };
    } else {
        free_draft(draft);
    }
}

static void find_traffic(struct exchanging *e, size_t index, struct traffic *t)
{
    const struct exchange_step *step = &e->steps.data[index];
    struct step_draft *draft = &e->drafts[index % AHEAD];
    if (e->same[index] != index)
        return;
    if (step->kind == STEP_SET && e->local[step->index])
        traffic_of_local_set(t, draft);
    else if (step->kind == STEP_SET)
        traffic_of_set(t, &e->order->sets.data[step->index], draft);
    else if (step->kind == STEP_COPY)
        traffic_of_copy(t, e->c->store->programs.data[step->index], draft);
}

static void take_steps(void *context, uint32_t thread)
{
    struct exchanging *e = context;
    struct traffic *t = &e->threads[thread];
    for (size_t i; (i = atomic_fetch_add(&e->next, 1)) < e->steps.count;) {
        pthread_mutex_lock(&e->lock);
        while (i >= e->added + AHEAD)
            pthread_cond_wait(&e->has_room, &e->lock);
        pthread_mutex_unlock(&e->lock);
        find_traffic(e, i, t);
        pthread_mutex_lock(&e->lock);
        e->found[i % AHEAD] = true;
        for (; e->found[e->added % AHEAD]; ++e->added) {
            add_step(e, e->added, &t->owners);
            e->found[e->added % AHEAD] = false;
        }
        pthread_cond_broadcast(&e->has_room);
        pthread_mutex_unlock(&e->lock);
    }
}

const struct exchange_result *pass_exchange(struct compiler *c, const struct check_result *check,
                                            const struct order_result *sets, const struct order_result *order,
                                            const struct lower_result *lower)
{
    struct exchange_result *result = ARENA_NEW(&c->model, struct exchange_result);
    if (!c->modelled)
        return result;
    struct exchanging *e = MEM_NEW(struct exchanging);
    e->c = c;
    e->order = order;
    e->result = result;
    e->thread_count = compiler_threads(c);
    arena_adopt_vec(&c->model, &result->rearranged);
    result->of_set = arena_zero(&c->model, order->sets.count, sizeof(*result->of_set));
    result->of_node = arena_zero(&c->model, c->store->programs.count, sizeof(*result->of_node));
    e->threads = mem_alloc(e->thread_count * sizeof(*e->threads));
    for (unsigned i = 0; i < e->thread_count; ++i)
        traffic_init(&e->threads[i], c, order, check, i ? NULL : &c->bits);
    list_steps(e, lower);
    find_same(e);
    e->local = local_sets(c, sets, e->threads, e->thread_count);
    atomic_store(&e->next, 0);
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->has_room, NULL);
    pool_run(c->pool, e->thread_count, take_steps, e);
    assert(e->added == e->steps.count);
    pthread_cond_destroy(&e->has_room);
    pthread_mutex_destroy(&e->lock);
    for (unsigned i = 0; i < e->thread_count; ++i)
        traffic_free(&e->threads[i]);
    free(e->threads);
    vec_free(&e->steps);
    free(e->keys);
    free(e->same);
    free(e->local);
    free(e);
    return result;
}
