/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of programs without children, and those that control flow needs before it. */
#include "compiler/steps/steps.h"

#include "base/str.h"
#include "compiler/common/runs.h"

#include <assert.h>

struct step_origin steps_origin(uint32_t node, enum step_role role)
{
    return (struct step_origin){ .node = node, .set = NONE, .role = (uint8_t)role };
}

/* ---- exchanges and sets of a plan ---- */

/* Whether a path is a part of another, at its beginning or its end. */
static bool begins_with(const char *path, const char *part)
{
    size_t length = strlen(part);
    return !strncmp(path, part, length) && (!path[length] || path[length] == '/');
}

static bool ends_with(const char *path, const char *part)
{
    size_t length = strlen(part), all = strlen(path);
    return length < all && path[all - length - 1] == '/' && !strcmp(path + all - length, part);
}

/* The debug path of a step that executes a set: the program's path and the set's, which may hold one another. */
static uint32_t path_of(struct steps_builder *b, uint32_t node, uint32_t name)
{
    const struct program_node *n = node == NONE ? NULL : b->c->store->programs.data[node];
    const char *own = image_string(b->c->image, name), *program = n ? store_name(b->c->store, n->name) : "";
    if (!n || n->kind != PROGRAM_EXECUTE || !*program || begins_with(own, program))
        return name;
    if (!*own || ends_with(program, own))
        return compiler_string(b->c, program);
    struct str path = { 0 };
    str_format(&path, "%s/%s", program, own);
    uint32_t string = compiler_string(b->c, path.text);
    str_free(&path);
    return string;
}

void steps_plan(struct steps_builder *b, uint32_t op, enum model_kind kind, uint32_t index, struct step_origin origin)
{
    const struct model *model = b->model;
    if (index == NONE)
        return;
    assert(index < (kind == MODEL_EXECUTE    ? model->sets.count
                    : kind == MODEL_EXCHANGE ? model->exchanges.count
                                             : model->global_exchanges.count));
    uint32_t name = kind == MODEL_EXECUTE    ? model->sets.data[index].name
                    : kind == MODEL_EXCHANGE ? model->exchanges.data[index].name
                                             : model->global_exchanges.data[index].name;
    steps_leaf(b, op,
               (struct model_step){ .kind = (uint8_t)kind, .name = path_of(b, origin.node, name), .index = index },
               origin);
}

/* Hardware that measures a set's cycles on one tile for many must wait for their last tile: a sync before the set and
 * one after it, within each IPU where each counts for itself (level ipu), of all that one tile counts for (level
 * device: those of the replica).  docs/reports/profiling.md. */
enum counting { COUNTS_ALONE, COUNTS_FOR_IPU, COUNTS_FOR_ALL };
static enum counting counting_of(const struct compiler *c)
{
    const struct instrumentation *i = &c->options->instrumentation;
    const pop_target *target = &c->store->target;
    if (target->type != POP_TARGET_IPU || !instruments_one_tile(i))
        return COUNTS_ALONE;
    return i->level == INSTRUMENT_DEVICE && target->num_ipus > 1 ? COUNTS_FOR_ALL : COUNTS_FOR_IPU;
}

static void sync_step(struct steps_builder *b, uint32_t node, uint32_t op, enum model_sync sync)
{
    const struct program_node *n = b->c->store->programs.data[node];
    uint32_t name = n->kind == PROGRAM_SYNC ? compiler_string(b->c, store_name(b->c->store, n->name)) : 0;
    steps_leaf(b, op, (struct model_step){ .kind = MODEL_SYNC, .detail = (uint8_t)sync, .name = name },
               steps_origin(node, ROLE_OTHER));
}

static void counting_sync(struct steps_builder *b, uint32_t node, uint32_t op, enum counting counting)
{
    if (counting != COUNTS_ALONE)
        sync_step(b, node, op, counting == COUNTS_FOR_ALL ? MODEL_SYNC_EXTERNAL : MODEL_SYNC_INTERNAL);
}

static void execute_steps(struct steps_builder *b, uint32_t node, uint32_t op)
{
    enum counting counting = counting_of(b->c);
    const struct program_node *n = b->c->store->programs.data[node];
    uint32_t set = b->use->set_of[n->object];
    assert(set != NONE && b->exchange->of_set[set].known);
    const struct step_plan *plan = &b->exchange->of_set[set];
    struct step_origin origin = { .node = node, .set = set, .role = ROLE_EXCHANGE_BEFORE };
    steps_plan(b, op, MODEL_GLOBAL_EXCHANGE, plan->global_before, origin);
    steps_plan(b, op, MODEL_EXCHANGE, plan->exchange_before, origin);
    origin.role = ROLE_COPY_BEFORE;
    steps_plan(b, op, MODEL_EXECUTE, plan->copy_before, origin);
    origin.role = ROLE_SET;
    counting_sync(b, node, op, counting);
    steps_plan(b, op, MODEL_EXECUTE, plan->set, origin);
    counting_sync(b, node, op, counting);
    origin.role = ROLE_COPY_AFTER;
    steps_plan(b, op, MODEL_EXECUTE, plan->copy_after, origin);
    origin.role = ROLE_EXCHANGE_AFTER;
    steps_plan(b, op, MODEL_EXCHANGE, plan->exchange_after, origin);
    steps_plan(b, op, MODEL_GLOBAL_EXCHANGE, plan->global_after, origin);
    if (n->source) /* whether all vertices agree is found by a sync */
        sync_step(b, node, op, MODEL_SYNC_INTERNAL);
}

static void copy_steps(struct steps_builder *b, uint32_t node, uint32_t op)
{
    const struct step_plan *plan = &b->exchange->of_node[node];
    assert(plan->known);
    steps_plan(b, op, MODEL_GLOBAL_EXCHANGE, plan->global_before, steps_origin(node, ROLE_EXCHANGE_BEFORE));
    steps_plan(b, op, MODEL_EXCHANGE, plan->exchange_before, steps_origin(node, ROLE_EXCHANGE_BEFORE));
    steps_plan(b, op, MODEL_EXECUTE, plan->copy_before, steps_origin(node, ROLE_COPY));
}

/* ---- control ---- */

/* One word from a tile to all others; every Switch on a value of that tile uses the same exchanges. */
static void broadcast_steps(struct steps_builder *b, uint32_t node, uint32_t op, uint32_t tile, enum step_role role)
{
    struct compiler *c = b->c;
    enum { WORD = 4 };
    char internal[64], global[64];
    size_t at = 0;
    while (at < b->broadcasts.count && b->broadcasts.data[at].tile != tile)
        ++at;
    if (at == b->broadcasts.count) {
        unsigned tiles = pop_target_num_tiles(&c->store->target), per_ipu = c->store->target.tiles_per_ipu;
        for (unsigned to = 0, sent_to = NONE; to < tiles; ++to) {
            if (to == tile)
                continue;
            loads_receive(&b->loads, tile, to, WORD, 1);
            if (to / per_ipu != sent_to) /* sent once to each IPU */
                loads_send(&b->loads, tile, to, WORD);
            sent_to = to / per_ipu;
        }
        struct exchange_pair pair = loads_finish(&b->loads, c, "switchControlBroadcast/ExchangePre",
                                                 "switchControlBroadcast/GlobalPre/GlobalExchange");
        *vec_push(&b->broadcasts) = (struct broadcast){ tile, pair };
    }
    snprintf(internal, sizeof(internal), "switchControlBroadcast%u/ExchangePre", b->switches);
    snprintf(global, sizeof(global), "switchControlBroadcast%u/GlobalPre/GlobalExchange", b->switches++);
    if (b->broadcasts.data[at].pair.global != NONE)
        steps_leaf(b, op,
                   (struct model_step){ .kind = MODEL_GLOBAL_EXCHANGE,
                                        .name = compiler_string(c, global),
                                        .index = b->broadcasts.data[at].pair.global },
                   steps_origin(node, role));
    if (b->broadcasts.data[at].pair.internal != NONE)
        steps_leaf(b, op,
                   (struct model_step){ .kind = MODEL_EXCHANGE,
                                        .name = compiler_string(c, internal),
                                        .index = b->broadcasts.data[at].pair.internal },
                   steps_origin(node, role));
}

/* The tile of a view's first element. */
static uint32_t tile_of(struct steps_builder *b, const struct view *view)
{
    struct run_cursor cursor;
    uint64_t stop;
    run_cursor_begin(&cursor, view);
    uint32_t tile = cursor.run.count ? owners_find(&b->owners, cursor.run.variable, cursor.run.offset, &stop) : 0;
    return tile == HOME_EVERYWHERE ? 0 : tile;
}

/* Hardware that records branches sends the records to the host before they are more than it keeps: a sync with the host
 * at each branch. */
static bool flushes_branches(const struct compiler *c)
{
    return c->store->target.type == POP_TARGET_IPU && c->options->instrumentation.control_flow &&
           c->options->instrumentation.branch_flush;
}

void steps_before(struct steps_builder *b, uint32_t node, uint32_t op)
{
    const struct program_node *n = b->c->store->programs.data[node];
    if ((n->kind == PROGRAM_IF || n->kind == PROGRAM_SWITCH) && flushes_branches(b->c))
        sync_step(b, node, op, MODEL_SYNC_EXTERNAL);
    if (n->kind == PROGRAM_IF) {
        steps_leaf(b, op, (struct model_step){ .kind = MODEL_SET_CONSENSUS }, steps_origin(node, ROLE_OTHER));
        sync_step(b, node, op, MODEL_SYNC_INTERNAL);
    } else if (n->kind == PROGRAM_SWITCH && n->control) {
        broadcast_steps(b, node, op, tile_of(b, n->control), ROLE_BROADCAST);
    }
}

/* As in the execution steps listed in the Poplar user guide: a word for the sync, then the program's number with
 * another, then its broadcast, if there are several programs. */
void steps_entry(struct steps_builder *b)
{
    bool several = b->c->program_count > 1;
    enum { WORD = 4, TILE = 0 };
    size_t first = b->pending.count;
    host_exchange_begin(&b->host, "");
    host_exchange_word(&b->host, TILE, WORD, 1);
    host_exchange_end(&b->host);
    steps_host_copies(b, NONE, 0, MODEL_STREAM_HOST, steps_origin(NONE, ROLE_ENTRY));
    host_exchange_begin(&b->host, "");
    host_exchange_word(&b->host, TILE, 2 * WORD, 2);
    host_exchange_end(&b->host);
    steps_host_copies(b, NONE, 0, MODEL_STREAM_HOST, steps_origin(NONE, ROLE_ENTRY));
    if (several)
        broadcast_steps(b, NONE, NONE, TILE, ROLE_ENTRY);
    for (size_t i = first; i < b->pending.count; ++i)
        *vec_push(&b->model->entry) = b->pending.data[i];
    if (several)
        steps_leaf(b, NONE, (struct model_step){ .kind = MODEL_SWITCH }, steps_origin(NONE, ROLE_ENTRY));
}

void steps_of_program(struct steps_builder *b, uint32_t node, uint32_t op)
{
    const struct program_node *n = b->c->store->programs.data[node];
    if (steps_is_stream(n)) {
        steps_stream(b, node, op);
        return;
    }
    steps_flush(b);
    switch (n->kind) {
    case PROGRAM_EXECUTE:
        execute_steps(b, node, op);
        break;
    case PROGRAM_COPY:
    case PROGRAM_CROSS_COPY:
        copy_steps(b, node, op);
        break;
    case PROGRAM_PRINT:
    case PROGRAM_ERROR:
        steps_hand_over(b, node, op, &n->source, 1, true);
        break;
    case PROGRAM_CALL_HOST:
        steps_host_call(b, node, op);
        break;
    case PROGRAM_SYNC:
        sync_step(b, node, op, n->object == POP_SYNC_INTERNAL ? MODEL_SYNC_INTERNAL : MODEL_SYNC_EXTERNAL);
        break;
    case PROGRAM_WRITE_UNDEF:
        steps_leaf(b, NONE,
                   (struct model_step){ .kind = MODEL_WRITE_UNDEF,
                                        .name = compiler_string(b->c, store_name(b->c->store, n->name)) },
                   steps_origin(node, ROLE_OTHER));
        break;
    default: /* aborts, and hints to the compiler: nothing on the machine */
        break;
    }
}
