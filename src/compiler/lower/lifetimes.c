/* SPDX-License-Identifier: Apache-2.0 */
/* Two walks: over the edges of all sets, by threads, for what each set does with each candidate; then over programs in
 * the order of their execution. */
#include "compiler/lower/lifetimes.h"
#include "compiler/check/check.h"
#include "compiler/common/prefetch.h"
#include "compiler/common/set_parts.h"

#include "base/pool.h"

#include <assert.h>
#include <stdatomic.h>

/* Smaller variables, and graphs that have few larger ones, gain nothing.  MAX_DEPTH: of loops and branches between two
 * uses of a variable. */
enum { MIN_BYTES = 256, MIN_ALL = 1 << 16 /* elements */, MAX_DEPTH = 64 };

enum access { READS = 1, WRITES = 2, REFUSES = 4 /* writes that may leave elements as they are */ };
struct access_of {
    uint32_t candidate;
    uint8_t what;
    uint64_t written; /* elements */
};
typedef VEC(struct access_of) access_list;
/* Where a candidate is in a list. */
struct access_mark {
    uint32_t part; /* whose list it is; 0: none */
    uint32_t index;
};

/* A control program, a function, a program in several places, or what a loop or a branch executes. */
struct block {
    uint32_t above; /* NONE: a body */
    uint32_t body;
    uint32_t end; /* of the loop or branch that it is part of: index of ends */
};
struct candidate {
    uint32_t variable;
    uint32_t block; /* NONE: not used yet */
    uint32_t first, last;
    uint32_t within; /* block below its own whose last use is the latest; NONE: last has it */
    bool refused;
};
struct body_frame {
    uint32_t node, next;
    uint32_t block; /* of its children, if they have none of their own */
    uint32_t end;   /* of a loop or branch: index of ends */
};
struct lifetimes {
    struct compiler *c;
    const struct use_result *use;
    const struct order_result *sets;
    VEC(struct candidate) candidates;
    uint32_t *candidate_of; /* by variable, or NONE */
    bool *writes_all;       /* by type: its vertices write all elements of their outputs */
    set_part_list parts;
    access_list *lists;        /* by part */
    atomic_size_t next;        /* part to take */
    access_list all;           /* of sets */
    size_t *first;             /* by set, and one more: of all */
    access_list copy;          /* of one Copy */
    struct access_mark *marks; /* by candidate: of Copies */
    VEC(struct block) blocks;
    VEC(uint32_t) ends; /* positions */
    VEC(struct body_frame) frames;
    VEC(uint32_t) bodies; /* nodes */
    bool *is_body;        /* by node: it is in the list */
    uint32_t position;
};

/* ---- candidates ---- */

static void refuse_variable(struct lifetimes *l, uint32_t variable)
{
    if (l->candidate_of[variable] != NONE)
        l->candidates.data[l->candidate_of[variable]].refused = true;
}

static void refuse_view(struct lifetimes *l, const struct view *view)
{
    for (uint32_t i = 0; view && i < view->piece_count; ++i)
        refuse_variable(l, view->pieces[i].variable);
}

static bool can_be_candidate(const struct compiler *c, uint32_t v)
{
    const struct variable *variable = &c->store->variables.data[v];
    return !variable->constant && variable->type != POP_QUARTER && variable->type != POP_QUARTER_METADATA &&
           variable->elements >= MIN_BYTES / variable_element_bytes(c, v);
}

/* False: too few for a gain. */
static bool find_candidates(struct lifetimes *l, const struct check_result *check)
{
    const pop_store *store = l->c->store;
    uint64_t all = 0, count = 0;
    l->candidate_of = mem_alloc(store->variables.count * sizeof(*l->candidate_of));
    for (uint32_t v = 0; v < store->variables.count; ++v) {
        l->candidate_of[v] = NONE;
        if (!check->variable_use[v] || !can_be_candidate(l->c, v))
            continue;
        l->candidate_of[v] = (uint32_t)l->candidates.count;
        *vec_push(&l->candidates) = (struct candidate){ .variable = v, .block = NONE, .within = NONE };
    }
    for (size_t i = 0; i < store->host_reads.count; ++i)
        refuse_view(l, store->host_reads.data[i].view);
    for (size_t i = 0; i < store->host_writes.count; ++i)
        refuse_view(l, store->host_writes.data[i].view);
    for (size_t i = 0; i < store->initials.count; ++i)
        refuse_variable(l, store->initials.data[i].variable);
    if (store->hw_seeds)
        refuse_variable(l, store->hw_seeds - 1);
    if (store->float_behaviour)
        refuse_variable(l, store->float_behaviour - 1);
    for (size_t i = 0; i < l->candidates.count && (count < 2 || all < MIN_ALL); ++i) {
        if (l->candidates.data[i].refused)
            continue;
        all += store->variables.data[l->candidates.data[i].variable].elements;
        ++count;
    }
    return count > 1 && all >= MIN_ALL;
}

/* Users' vertices may leave elements of their outputs as they are; those of the libraries write them all. */
static void find_types(struct lifetimes *l)
{
    static const char *const libraries[] = { "poplin::", "popops::", "popnn::" };
    const pop_store *store = l->c->store;
    l->writes_all = mem_zero(store->types.count, sizeof(*l->writes_all));
    for (size_t t = 0; t < store->types.count; ++t) {
        const struct codelet *codelet = store->types.data[t].codelet;
        for (size_t i = 0; codelet && !codelet->module->source && i < sizeof(libraries) / sizeof(libraries[0]); ++i)
            l->writes_all[t] |= strncmp(codelet->name, libraries[i], strlen(libraries[i])) == 0;
    }
}

/* ---- sets ---- */

/* Of a thread. */
struct set_walk {
    struct lifetimes *l;
    struct access_mark *marks; /* by candidate */
    access_list *to;
    uint32_t part; /* index + 1 */
};

static struct access_of *find_access(access_list *to, struct access_mark *mark, uint32_t part, uint32_t candidate)
{
    if (mark->part != part) {
        *mark = (struct access_mark){ part, (uint32_t)to->count };
        *vec_push(to) = (struct access_of){ .candidate = candidate };
    }
    return &to->data[mark->index];
}

static void add_elements(struct set_walk *k, uint32_t variable, uint64_t elements, uint8_t what)
{
    uint32_t candidate = k->l->candidate_of[variable];
    if (candidate == NONE || !elements || k->l->candidates.data[candidate].refused)
        return;
    struct access_of *access = find_access(k->to, &k->marks[candidate], k->part, candidate);
    access->what |= what;
    access->written += what & WRITES ? elements : 0; /* pass_hazard has checked that no element is written twice */
}

static void add_edge(struct set_walk *k, const struct edge *edge, uint8_t what)
{
    const pop_store *store = k->l->c->store;
    if (edge->form == EDGE_RUN) {
        add_elements(k, edge->variable, edge->count, what);
    } else if (edge->form == EDGE_VIEW) {
        const struct view *view = edge_view(store, edge);
        for (uint32_t i = 0; i < view->piece_count; ++i)
            add_elements(k, view->pieces[i].variable, view_piece(view, i).elements, what);
    } else if (edge->form == EDGE_LIST) {
        for (uint64_t i = 0; i < edge->count; ++i)
            add_edge(k, edge_row(store, edge, i), what);
    }
}

static void collect_part(struct set_walk *k, size_t index)
{
    static const uint8_t of_direction[] = {
        [FIELD_INPUT] = READS, [FIELD_OUTPUT] = WRITES, [FIELD_INOUT] = READS | WRITES
    };
    const pop_store *store = k->l->c->store;
    const struct order_result *sets = k->l->sets;
    const struct set_part *part = &k->l->parts.data[index];
    k->part = (uint32_t)index + 1;
    k->to = &k->l->lists[index];
    for (uint64_t i = part->first; i < part->first + part->count; ++i) {
        const struct vertex *v = &store->vertices.data[sets->vertices[i]];
        const struct codelet *codelet = store->types.data[v->type].codelet;
        prefetch_edges(store, sets, i);
        for (uint32_t e = v->edge; e != NO_EDGE; e = edge_next(store->edges.data, e)) {
            uint8_t direction = codelet->fields[store->edges.data[e].field].direction;
            if (direction != FIELD_STATE)
                add_edge(k, &store->edges.data[e],
                         (uint8_t)(of_direction[direction] |
                                   (direction == FIELD_OUTPUT && !k->l->writes_all[v->type] ? REFUSES : 0)));
        }
    }
}

static void collect_parts(void *context, uint32_t thread)
{
    struct lifetimes *l = context;
    struct set_walk k = { .l = l };
    (void)thread;
    for (size_t i; (i = atomic_fetch_add(&l->next, 1)) < l->parts.count;) {
        if (!k.marks)
            k.marks = mem_lines(l->candidates.count, sizeof(*k.marks));
        collect_part(&k, i);
    }
    mem_free(k.marks);
}

/* The lists of a set's parts as one. */
static void join_parts(struct lifetimes *l)
{
    struct access_mark *marks = mem_zero(l->candidates.count, sizeof(*marks));
    size_t sets = l->sets->sets.count, part = 0;
    l->first = mem_alloc((sets + 1) * sizeof(*l->first));
    for (uint32_t s = 0; s <= sets; ++s) {
        l->first[s] = l->all.count;
        for (; part < l->parts.count && l->parts.data[part].set == s; ++part) {
            for (size_t i = 0; i < l->lists[part].count; ++i) {
                const struct access_of *from = &l->lists[part].data[i];
                struct access_of *to = find_access(&l->all, &marks[from->candidate], s + 1, from->candidate);
                to->what |= from->what;
                to->written += from->written;
            }
            vec_free(&l->lists[part]);
        }
    }
    free(marks);
}

static void collect_sets(struct lifetimes *l)
{
    set_parts_list(&l->parts, l->sets);
    l->lists = mem_zero(l->parts.count, sizeof(*l->lists));
    pool_run(l->c->pool, compiler_threads(l->c), collect_parts, l);
    join_parts(l);
}

/* ---- programs ---- */

/* The block directly below `above` that holds a block, which may be that block itself; NONE: there is none. */
static uint32_t block_below(const struct lifetimes *l, uint32_t above, uint32_t block)
{
    for (unsigned depth = 0; depth < MAX_DEPTH && block != NONE; ++depth) {
        if (l->blocks.data[block].above == above)
            return block;
        block = l->blocks.data[block].above;
    }
    return NONE;
}

static void use_candidate(struct lifetimes *l, const struct access_of *access, uint32_t block)
{
    struct candidate *k = &l->candidates.data[access->candidate];
    if (k->block == NONE) {
        k->refused |= access->what != WRITES || access->written != l->c->store->variables.data[k->variable].elements;
        k->block = block;
        k->first = l->position;
    }
    k->last = l->position;
    k->within = k->block == block ? NONE : block_below(l, k->block, block);
    k->refused |= k->block != block && k->within == NONE;
}

static void copy_view(struct lifetimes *l, const struct view *view, uint8_t what)
{
    for (uint32_t i = 0; i < view->piece_count; ++i) {
        uint32_t candidate = l->candidate_of[view->pieces[i].variable];
        if (candidate == NONE || l->candidates.data[candidate].refused)
            continue;
        struct access_of *access = find_access(&l->copy, &l->marks[candidate], l->position, candidate);
        access->what |= what;
        access->written += what == WRITES ? view_piece(view, i).elements : 0;
    }
}

static void use_leaf(struct lifetimes *l, const struct program_node *n, uint32_t block)
{
    if (n->kind == PROGRAM_EXECUTE) {
        uint32_t set = l->use->set_of[n->object];
        for (size_t i = l->first[set]; i < l->first[set + 1]; ++i)
            use_candidate(l, &l->all.data[i], block);
    } else if (n->kind == PROGRAM_COPY) {
        l->copy.count = 0;
        copy_view(l, n->source, READS);
        copy_view(l, n->destination, WRITES);
        for (size_t i = 0; i < l->copy.count; ++i)
            use_candidate(l, &l->copy.data[i], block);
    }
}

/* What other programs use is not listed. */
static void refuse_operands(struct lifetimes *l)
{
    for (size_t i = 0; i < l->use->finished.count; ++i) {
        const struct program_node *n = l->c->store->programs.data[l->use->finished.data[i]];
        if (n->kind == PROGRAM_COPY || n->kind == PROGRAM_WRITE_UNDEF) /* which does nothing on the host */
            continue;
        refuse_view(l, n->source);
        refuse_view(l, n->destination);
        refuse_view(l, n->control);
        for (size_t k = 0; k < n->operands.count; ++k)
            refuse_view(l, n->operands.data[k]);
    }
}

static bool is_control(const struct program_node *n)
{
    return n->children.count && n->kind != PROGRAM_SEQUENCE && n->kind != PROGRAM_BLOCK;
}

static void add_body(struct lifetimes *l, uint32_t node)
{
    if (!l->is_body[node])
        *vec_push(&l->bodies) = node;
    l->is_body[node] = true;
}

static void open_frame(struct lifetimes *l, uint32_t node, uint32_t block)
{
    *vec_push(&l->frames) = (struct body_frame){ node, 0, block, (uint32_t)l->ends.count };
    if (is_control(l->c->store->programs.data[node]))
        *vec_push(&l->ends) = l->position;
}

static void open_node(struct lifetimes *l, uint32_t node, uint32_t block)
{
    const struct program_node *n = l->c->store->programs.data[node];
    ++l->position;
    if (n->kind == PROGRAM_CALL)
        add_body(l, l->c->store->functions.data[n->object].program);
    else if (n->children.count)
        open_frame(l, node, block);
    else
        use_leaf(l, n, block);
}

static void open_child(struct lifetimes *l, struct body_frame frame, uint32_t child)
{
    uint32_t block = frame.block;
    if (child == NO_PROGRAM)
        return;
    if (l->use->references[child] > 1 && l->c->store->programs.data[child]->children.count) {
        add_body(l, child);
        return;
    }
    if (is_control(l->c->store->programs.data[frame.node])) {
        block = (uint32_t)l->blocks.count;
        *vec_push(&l->blocks) = (struct block){ frame.block, l->blocks.data[frame.block].body, frame.end };
    }
    open_node(l, child, block);
}

static void close_node(struct lifetimes *l)
{
    const struct body_frame *frame = &l->frames.data[--l->frames.count];
    if (is_control(l->c->store->programs.data[frame->node]))
        l->ends.data[frame->end] = l->position;
}

static void walk_body(struct lifetimes *l, uint32_t body)
{
    uint32_t block = (uint32_t)l->blocks.count;
    *vec_push(&l->blocks) = (struct block){ NONE, body, NONE };
    open_node(l, l->bodies.data[body], block);
    while (l->frames.count) {
        struct body_frame *top = &l->frames.data[l->frames.count - 1];
        const struct program_node *n = l->c->store->programs.data[top->node];
        if (top->next == n->children.count) {
            close_node(l);
            continue;
        }
        uint32_t child = n->children.data[top->next++];
        open_child(l, *top, child);
    }
}

static void list(const struct lifetimes *l, lifetime_list *to)
{
    for (size_t i = 0; i < l->candidates.count; ++i) {
        const struct candidate *k = &l->candidates.data[i];
        if (k->refused || k->block == NONE)
            continue;
        uint32_t last = k->within == NONE ? k->last : l->ends.data[l->blocks.data[k->within].end];
        assert(k->first <= last && last <= l->position);
        *vec_push(to) = (struct lifetime){ k->variable, l->blocks.data[k->block].body, k->first, last };
    }
}

void lifetimes_find(struct compiler *c, const struct use_result *use, const struct check_result *check,
                    const struct order_result *sets, lifetime_list *lifetimes)
{
    struct lifetimes l = { .c = c, .use = use, .sets = sets };
    if (find_candidates(&l, check)) {
        refuse_operands(&l);
        find_types(&l);
        collect_sets(&l);
        l.marks = mem_zero(l.candidates.count, sizeof(*l.marks));
        l.is_body = mem_zero(c->store->programs.count, sizeof(*l.is_body));
        for (size_t i = 0; i < c->program_count; ++i)
            add_body(&l, c->programs[i].id - 1);
        for (size_t b = 0; b < l.bodies.count; ++b)
            walk_body(&l, (uint32_t)b);
        list(&l, lifetimes);
    }
    vec_free(&l.candidates);
    vec_free(&l.parts);
    vec_free(&l.all);
    vec_free(&l.copy);
    vec_free(&l.blocks);
    vec_free(&l.ends);
    vec_free(&l.frames);
    vec_free(&l.bodies);
    free(l.candidate_of);
    free(l.writes_all);
    free(l.lists);
    free(l.first);
    free(l.marks);
    free(l.is_body);
}
