/* SPDX-License-Identifier: Apache-2.0 */
/* What is live at each leaf step and Switch, by name: one sweep over the positions. Equal lists are stored once. */
#include "compiler/liveness/live.h"
#include "compiler/placement/place.h"
#include "compiler/placement/placement.h"

/* Lists beyond so much work hold one row with all their bytes; the list of the step with the most bytes is whole in any
 * case. */
enum { MAX_WORK = 1 << 24 };

struct list_change {
    uint32_t position, rank; /* rank: a string at first */
    uint64_t bytes;          /* may be negative, in modular arithmetic */
};
struct named {
    const char *text;
    uint32_t name; /* string of the image */
    uint64_t bytes;
};
struct lists {
    struct compiler *c;
    const struct place_inputs *in;
    const struct live *live;
    VEC(struct named) always;
    VEC(struct named) others; /* as they are met, then by name */
    VEC(struct list_change) changes;
    uint64_t *now;  /* by rank: live bytes */
    uint64_t *bits; /* by rank: whether any */
    uint32_t ranks, active;
    uint64_t total, hash, work;
    uint32_t *slots;      /* hash -> list + 1 */
    VEC(uint64_t) hashes; /* by list */
    size_t slot_count;
};

/* ---- names ---- */

static int by_text(const void *left, const void *right)
{
    return strcmp(((const struct named *)left)->text, ((const struct named *)right)->text);
}

/* Equal names become one; few of a million variables have a name of their own. */
static size_t join_names(const struct image *image, struct named *names, size_t count)
{
    uint32_t *at = mem_zero(image->strings.count, sizeof(*at)); /* by string: index + 1 */
    size_t kept = 0;
    for (size_t i = 0; i < count; ++i) {
        uint32_t *first = &at[names[i].name];
        if (*first) {
            names[*first - 1].bytes += names[i].bytes;
            continue;
        }
        names[kept++] = (struct named){ image_string(image, names[i].name), names[i].name, names[i].bytes };
        *first = (uint32_t)kept;
    }
    if (kept)
        qsort(names, kept, sizeof(*names), by_text);
    free(at);
    return kept;
}

static uint64_t buffer_bytes(const struct live *live, const struct live_buffer *buffer)
{
    uint64_t sum = 0;
    for (uint64_t i = buffer->first; i < buffer->first + buffer->count; ++i)
        sum += live->bytes.data[i].bytes;
    return sum;
}

static void add_live(struct lists *l, uint32_t class, uint32_t name, uint64_t bytes)
{
    struct named named = { NULL, name, bytes };
    if (!bytes || class == LIVE_NEVER)
        return;
    if (class == LIVE_ALWAYS) {
        *vec_push(&l->always) = named;
        return;
    }
    const struct live_class *of = &l->live->classes.data[class];
    for (uint32_t i = 0; i < of->count; ++i) {
        struct flow_span span = l->live->spans.data[of->first + i];
        *vec_push(&l->changes) = (struct list_change){ span.first, name, bytes };
        *vec_push(&l->changes) = (struct list_change){ span.last + 1, name, -bytes };
    }
    *vec_push(&l->others) = named;
}

static uint64_t mapped_bytes(const struct lists *l, uint32_t variable)
{
    const struct compiler *c = l->c;
    const struct variable *v = &c->store->variables.data[variable];
    uint64_t elements = v->elements;
    if (l->in->check->variable_use[variable] == VARIABLE_GAPS) {
        elements = 0;
        for (size_t i = 0; i < v->map.ranges.count; ++i)
            elements += v->map.ranges.data[i].end - v->map.ranges.data[i].begin;
    }
    return elements * variable_element_bytes(c, variable);
}

static void collect(struct lists *l, const struct place_sizes *sizes)
{
    struct compiler *c = l->c;
    const struct live *live = l->live;
    static const char *const names[] = {
#define MODEL_CATEGORY(constant, name) name,
#include "image/model_categories.def"
#undef MODEL_CATEGORY
    };
    for (uint32_t v = 0; v < c->store->variables.count; ++v)
        if (l->in->storage->offset[v] != NO_STORAGE && !c->store->variables.data[v].follows_vertex)
            add_live(l, live->class_of[v], live_variable_name(c, live, v), mapped_bytes(l, v));
    for (size_t i = 0; i < live->constants.count; ++i) {
        uint32_t v = live->constants.data[i].variable;
        add_live(l, LIVE_ALWAYS, live_variable_name(c, live, v),
                 c->store->variables.data[v].elements * variable_element_bytes(c, v));
    }
    for (size_t i = 0; i < live->buffers.count; ++i)
        add_live(l, live->buffers.data[i].class, live->buffers.data[i].name,
                 buffer_bytes(live, &live->buffers.data[i]));
    for (int category = 0; category < MODEL_CATEGORIES; ++category) {
        uint64_t bytes = 0;
        for (uint32_t tile = 0; tile < sizes->tiles; ++tile)
            bytes += sizes->fixed[tile][category];
        if (bytes)
            add_live(l, LIVE_ALWAYS, compiler_string(c, names[category]), bytes);
    }
    l->always.count = join_names(c->image, l->always.data, l->always.count);
    l->others.count = join_names(c->image, l->others.data, l->others.count);
    l->ranks = (uint32_t)l->others.count;
}

/* ---- lists ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t h = (a + 1) * 0x9e3779b97f4a7c15u ^ b * 0xc2b2ae3d27d4eb4fu;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9u;
    return h ^ h >> 32;
}

static void change(struct lists *l, uint32_t rank, uint64_t bytes)
{
    uint64_t old = l->now[rank], new = old + bytes;
    l->hash += (new ? mix(rank, new) : 0) - (old ? mix(rank, old) : 0);
    l->now[rank] = new;
    l->total += bytes;
    if (!old && new) {
        l->bits[rank / 64] |= UINT64_C(1) << rank % 64;
        ++l->active;
    } else if (old && !new) {
        l->bits[rank / 64] &= ~(UINT64_C(1) << rank % 64);
        --l->active;
    }
}

static uint32_t add_list(struct lists *l, bool whole)
{
    struct model *model = &l->c->image->model;
    struct model_live_list list = { .first = model->live.count, .bytes = l->total };
    if (!whole) {
        *vec_push(&model->live) = (struct model_live){ compiler_string(l->c, "<all>"), l->total };
    } else {
        for (uint32_t word = 0; word < (l->ranks + 63) / 64; ++word)
            for (uint64_t bits = l->bits[word]; bits; bits &= bits - 1) {
                uint32_t rank = word * 64 + (uint32_t)__builtin_ctzll(bits);
                *vec_push(&model->live) = (struct model_live){ l->others.data[rank].name, l->now[rank] };
            }
    }
    list.count = (uint32_t)(model->live.count - list.first);
    *vec_push(&model->live_lists) = list;
    *vec_push(&l->hashes) = l->hash;
    return (uint32_t)model->live_lists.count - 1;
}

static void grow_slots(struct lists *l)
{
    l->slot_count = l->slot_count ? l->slot_count * 2 : 256;
    free(l->slots);
    l->slots = mem_zero(l->slot_count, sizeof(*l->slots));
    for (uint32_t i = 0; i < l->hashes.count; ++i) {
        size_t at = l->hashes.data[i] & (l->slot_count - 1);
        while (l->slots[at])
            at = (at + 1) & (l->slot_count - 1);
        l->slots[at] = i + 1;
    }
}

/* Lists are distinguished by 64 bits of hash, their bytes and their length. */
static uint32_t find_list(struct lists *l, bool max)
{
    const struct model *model = &l->c->image->model;
    if (2 * (l->hashes.count + 1) > l->slot_count)
        grow_slots(l);
    size_t at = l->hash & (l->slot_count - 1);
    for (; l->slots[at]; at = (at + 1) & (l->slot_count - 1)) {
        uint32_t list = l->slots[at] - 1;
        if (l->hashes.data[list] == l->hash && model->live_lists.data[list].bytes == l->total && list)
            return list;
    }
    bool whole = max || l->work < MAX_WORK;
    l->work += l->active + l->ranks / 64 + 1;
    uint32_t list = add_list(l, whole);
    l->slots[at] = list + 1;
    return list;
}

static int by_position(const void *left, const void *right)
{
    const struct list_change *a = left, *b = right;
    if (a->position != b->position)
        return a->position < b->position ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static bool has_list(const struct model_step *step)
{
    switch (step->kind) {
    case MODEL_SEQUENCE:
    case MODEL_REPEAT:
    case MODEL_REPEAT_WHILE:
    case MODEL_IF:
    case MODEL_IF_ELSE:
        return false;
    default:
        return true;
    }
}

/* Names in changes become ranks: places in the order of names. */
static void rank_changes(struct lists *l)
{
    const struct image *image = l->c->image;
    uint32_t *rank = mem_zero(image->strings.count, sizeof(*rank));
    for (uint32_t i = 0; i < l->ranks; ++i)
        rank[l->others.data[i].name] = i;
    for (size_t i = 0; i < l->changes.count; ++i)
        l->changes.data[i].rank = rank[l->changes.data[i].rank];
    free(rank);
    if (l->changes.count)
        qsort(l->changes.data, l->changes.count, sizeof(*l->changes.data), by_position);
}

static uint64_t max_bytes(struct lists *l)
{
    uint64_t max = 0, now = 0;
    size_t next = 0;
    for (uint32_t position = 0; position < l->live->step.count; ++position) {
        for (; next < l->changes.count && l->changes.data[next].position <= position; ++next)
            now += l->changes.data[next].bytes;
        if (has_list(&l->c->image->model.steps.data[l->live->step.data[position]]))
            max = now > max ? now : max;
    }
    return max;
}

static void sweep(struct lists *l)
{
    struct model *model = &l->c->image->model;
    uint64_t max = max_bytes(l);
    size_t next = 0;
    if (model->steps.count)
        memset(vec_extend(&model->step_live, model->steps.count), 0, model->steps.count * sizeof(uint32_t));
    for (uint32_t position = 0; position < l->live->step.count; ++position) {
        uint32_t step = l->live->step.data[position];
        for (; next < l->changes.count && l->changes.data[next].position <= position; ++next)
            change(l, l->changes.data[next].rank, l->changes.data[next].bytes);
        if (has_list(&model->steps.data[step]))
            model->step_live.data[step] = find_list(l, l->total == max);
    }
}

static void always_list(struct lists *l)
{
    struct model *model = &l->c->image->model;
    struct model_live_list list = { .first = model->live.count, .count = (uint32_t)l->always.count };
    for (size_t i = 0; i < l->always.count; ++i) {
        *vec_push(&model->live) = (struct model_live){ l->always.data[i].name, l->always.data[i].bytes };
        list.bytes += l->always.data[i].bytes;
    }
    *vec_push(&model->live_lists) = list;
    *vec_push(&l->hashes) = 0;
}

void live_lists(struct compiler *c, const struct place_inputs *in, const struct place_sizes *sizes)
{
    struct lists l = { .c = c, .in = in, .live = in->live };
    collect(&l, sizes);
    rank_changes(&l);
    l.now = mem_zero(l.ranks, sizeof(*l.now));
    l.bits = mem_zero(l.ranks / 64 + 1, sizeof(*l.bits));
    always_list(&l);
    sweep(&l);
    vec_free(&l.always);
    vec_free(&l.others);
    vec_free(&l.changes);
    vec_free(&l.hashes);
    free(l.now);
    free(l.bits);
    free(l.slots);
}
