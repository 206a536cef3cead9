/* SPDX-License-Identifier: Apache-2.0 */
/* Checked execution: each vertex alone, each of its edges, tables of rows and vectors of its state in a buffer of
 * exactly its size that ends at a guard page and is surrounded by canaries, so that a codelet that accesses
 * memory outside a field is stopped and reported.  A first run of the vertex, whose results are dropped, has buffers
 * that begin at a guard page, and so finds reads before a field.  Results are those of normal execution. */
#include "base/str.h"
#include "engine/engine.h"
#include "engine/execute.h"
#include "engine/exit_guard.h"
#include "engine/fault.h"
#include "image/reference.h"
#include "popc/module/link.h"

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* One edge of the current vertex: where its pointer is stored, its real data, and its guarded buffer. */
struct checked_edge {
    const struct codelet_field *field;
    uint64_t entry;      /* index in the field's table; UINT64_MAX when the field itself is the edge */
    uint32_t row_bytes;  /* of the field's table, when it is the table itself; 0: an edge */
    unsigned char *slot; /* the pointer in the vertex's state or table */
    unsigned char *data; /* in storage or scratch */
    unsigned char *buffer;
    uint64_t bytes;
    struct fault_region *region;
};

struct checked {
    struct fault_watch watch; /* the regions: one for each edge, reused for the next vertex */
    VEC(struct checked_edge) edges;
    VEC(unsigned char) state; /* the vertex's state before the first run */
    size_t page;
};

struct checked *checked_create(void)
{
    struct checked *checked = MEM_NEW(struct checked);
    checked->page = (size_t)sysconf(_SC_PAGESIZE);
    return checked;
}

/* Bytes of address space of a region with this many bytes between its guards. */
static size_t reserved(const struct checked *checked, size_t middle)
{
    return middle + 2 * checked->page + 2 * FAULT_GUARD_BYTES;
}

static void drop_region(const struct checked *checked, struct fault_region *region)
{
    if (region->low)
        munmap(region->low - FAULT_GUARD_BYTES, reserved(checked, region->bytes));
    *region = (struct fault_region){ 0 };
}

void checked_destroy(struct checked *checked)
{
    if (!checked)
        return;
    for (size_t i = 0; i < checked->watch.regions.count; ++i)
        drop_region(checked, checked->watch.regions.data + i);
    vec_free(&checked->watch.regions);
    vec_free(&checked->edges);
    vec_free(&checked->state);
    free(checked);
}

/* Fills a range with canaries. The space between the guards is whole pages: canaries fill what the buffer leaves. */
static void paint(unsigned char *from, const unsigned char *to)
{
    for (; from < to; ++from)
        *from = fault_canary(from);
}

/* Number of overwritten canaries in a range, and the first of them. */
static uint64_t count_painted_over(const unsigned char *from, const unsigned char *to, const unsigned char **first)
{
    uint64_t count = 0;
    for (; from < to; ++from)
        if (*from != fault_canary(from) && !count++)
            *first = from;
    return count;
}

/* Creates a region with at least this many bytes between its guards; false when memory cannot be mapped. */
static bool make_region(struct checked *checked, struct fault_region *region, uint64_t bytes)
{
    size_t middle = (bytes + checked->page) / checked->page * checked->page;
    if (region->low && region->bytes >= middle)
        return true;
    drop_region(checked, region);
    unsigned char *space =
        mmap(NULL, reserved(checked, middle), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (space == MAP_FAILED)
        return false;
    *region = (struct fault_region){ .low = space + FAULT_GUARD_BYTES, .bytes = middle, .page = checked->page };
    if (mprotect(region->low + checked->page, middle, PROT_READ | PROT_WRITE) != 0) {
        drop_region(checked, region);
        return false;
    }
    return true;
}

/* The buffer begins at the lower guard, or ends at the upper one or as near to it as the field's alignment allows. */
static void place_edge(struct checked *checked, struct checked_edge *edge, bool at_front)
{
    uint64_t element = edge->row_bytes ? sizeof(void *) : pop_type_size((pop_type)edge->field->type);
    uint64_t alignment = !edge->row_bytes && edge->field->alignment > element ? edge->field->alignment : element;
    unsigned char *middle = edge->region->low + checked->page, *end = middle + edge->region->bytes;
    edge->buffer = at_front ? middle : end - (edge->bytes + alignment - 1) / alignment * alignment;
    unsigned char *red = edge->buffer - middle > (ptrdiff_t)checked->page ? edge->buffer - checked->page : middle;
    edge->region->red = red;
    paint(red, edge->buffer);
    if (edge->bytes)
        memcpy(edge->buffer, edge->data, edge->bytes);
    paint(edge->buffer + edge->bytes, end);
    if (edge->data)
        memcpy(edge->slot, &edge->buffer, sizeof(edge->buffer));
}

static void add_edge(struct checked *checked, const struct codelet_field *field, uint64_t entry, unsigned char *slot,
                     uint64_t bytes)
{
    struct checked_edge *edge = vec_push(&checked->edges);
    *edge = (struct checked_edge){ .field = field, .entry = entry, .slot = slot, .bytes = bytes };
    memcpy(&edge->data, slot, sizeof(edge->data));
}

/* Adds the table of a field, after its rows: place_edge copies their pointers as it has set them. */
static void add_table(struct checked *checked, const struct replica *replica, const struct codelet_field *field,
                      uint64_t state, uint64_t table, uint64_t rows)
{
    if (!rows)
        return; /* an empty table may have no address */
    add_edge(checked, field, UINT64_MAX, replica->states + state + field->offset, rows * table_stride(field));
    struct checked_edge *edge = &checked->edges.data[checked->edges.count - 1];
    edge->data = replica->states + table;
    edge->row_bytes = table_stride(field);
}

/* Adds vector state. Addresses and sizes are taken from the image, because a codelet may have overwritten the loaded
 * ones. */
static void add_state(struct checked *checked, const struct replica *replica, const struct codelet_field *field,
                      uint64_t entry, uint64_t at, bool has_size)
{
    uint64_t reference = image_word(replica->engine->image, at);
    if (!reference)
        return;
    uint64_t data = IMAGE_REF_OFFSET(reference),
             count = image_word(replica->engine->image, has_size ? at + 8 : data - 8);
    add_edge(checked, field, entry, replica->states + at, count * pop_type_size((pop_type)field->type));
    checked->edges.data[checked->edges.count - 1].data = replica->states + data;
}

static void find_state(struct checked *checked, const struct replica *replica, const struct codelet_field *field,
                       uint64_t state)
{
    if (!field_has_pointer(field))
        return;
    if (!field_has_table(field)) {
        add_state(checked, replica, field, UINT64_MAX, state + field->offset, field->has_size);
        return;
    }
    uint64_t entries = table_entries(replica->engine->image, field, state);
    uint64_t table = IMAGE_REF_OFFSET(image_word(replica->engine->image, state + field->offset));
    for (uint64_t e = 0; e < entries; ++e)
        add_state(checked, replica, field, e, table + e * table_stride(field), field->inner_has_size);
    add_table(checked, replica, field, state, table, entries);
}

/* The edges of a vertex, from its list of sizes, and its vector state. */
static void find_edges(struct checked *checked, const struct replica *replica, const struct codelet *codelet,
                       uint64_t state, uint64_t at)
{
    const uint64_t *sizes = replica->engine->image->edge_bytes.data;
    checked->edges.count = 0;
    for (uint32_t f = 0; f < codelet->field_count; ++f) {
        const struct codelet_field *field = codelet->fields + f;
        if (field->direction == FIELD_STATE) {
            find_state(checked, replica, field, state);
            continue;
        }
        unsigned char *slot = replica->states + state + field->offset;
        if (!field_has_table(field)) {
            add_edge(checked, field, UINT64_MAX, slot, sizes[at++]);
            continue;
        }
        uint64_t table = IMAGE_REF_OFFSET(image_word(replica->engine->image, state + field->offset));
        uint64_t entries = sizes[at++];
        for (uint64_t e = 0; e < entries; ++e)
            add_edge(checked, field, e, replica->states + table + e * table_stride(field), sizes[at++]);
        add_table(checked, replica, field, state, table, entries);
    }
}

static bool place_edges(struct checked *checked, bool at_front)
{
    while (checked->watch.regions.count < checked->edges.count)
        *vec_push(&checked->watch.regions) = (struct fault_region){ 0 };
    for (size_t i = 0; i < checked->edges.count; ++i) {
        struct checked_edge *edge = checked->edges.data + i;
        edge->region = checked->watch.regions.data + i;
        if (!make_region(checked, edge->region, edge->bytes + edge->field->alignment))
            return false;
        place_edge(checked, edge, at_front);
    }
    checked->watch.used = checked->edges.count;
    return true;
}

/* The state points to the real data again. */
static void restore_edges(struct checked *checked)
{
    for (size_t i = 0; i < checked->edges.count; ++i)
        memcpy(checked->edges.data[i].slot, &checked->edges.data[i].data, sizeof(checked->edges.data[i].data));
}

/* ---- reporting what a vertex did wrong ---- */

struct vertex_at {
    struct engine_run *run;
    const struct image_set *set;
    const struct codelet *codelet;
    uint64_t state, in_set;
    uint32_t id;
    const struct image_place *place; /* NULL: unknown */
    const struct behave *behave;     /* NULL: the processor's default behaviour */
};

/* "'in'", or "'in[2]'" for an entry of a table. */
static const char *edge_name(const struct checked_edge *edge, char *text, size_t size)
{
    if (edge->entry == UINT64_MAX)
        snprintf(text, size, "'%s'", edge->field->name);
    else
        snprintf(text, size, "'%s[%llu]'", edge->field->name, (unsigned long long)edge->entry);
    return text;
}

/* ", in compute set 'sums' (sums.c:40); the vertex was added at sums.c:45, on tile 3" */
static const char *where_text(const struct vertex_at *vertex, struct str *text)
{
    const struct image *image = vertex->run->image;
    str_format(text, ", in compute set '%s'", image_string(image, vertex->set->name));
    if (vertex->set->where_file)
        str_format(text, " (%s:%d)", image_string(image, vertex->set->where_file), (int)vertex->set->where_line);
    if (vertex->place && vertex->place->file)
        str_format(text, "; the vertex was added at %s:%d, on tile %u", image_string(image, vertex->place->file),
                   (int)vertex->place->line, (unsigned)vertex->place->tile);
    return text->text;
}

/* what: "wrote 4 bytes beyond".  offset is that of the first such byte from the field's start. */
static bool report_edge(const struct vertex_at *vertex, const struct checked_edge *edge, const char *what,
                        int64_t offset)
{
    char name[128];
    struct str where = { 0 };
    int64_t element = edge->row_bytes ? edge->row_bytes : (int64_t)pop_type_size((pop_type)edge->field->type);
    int64_t index = offset < 0 ? -((-offset + element - 1) / element) : offset / element;
    run_fail(vertex->run, POP_APPLICATION_RUNTIME_ERROR, "vertex %u (%s) %s field %s (%s %lld of %llu) at byte %lld%s",
             (unsigned)vertex->id, vertex->codelet->name, what, edge_name(edge, name, sizeof(name)),
             edge->row_bytes ? "row" : "element", (long long)index,
             (unsigned long long)(edge->bytes / (uint64_t)element), (long long)offset, where_text(vertex, &where));
    str_free(&where);
    return false;
}

static bool report_write(const struct vertex_at *vertex, const struct checked_edge *edge, uint64_t count,
                         const char *side, const unsigned char *first)
{
    char what[64];
    snprintf(what, sizeof(what), "wrote %llu byte%s %s", (unsigned long long)count, count == 1 ? "" : "s", side);
    return report_edge(vertex, edge, what, first - edge->buffer);
}

/* Checks the canaries on both sides, opened guards, and that Inputs are unchanged. An opened guard is always an error,
 * even if the byte written equals its canary. */
static bool check_edge(const struct vertex_at *vertex, const struct checked_edge *edge)
{
    const struct fault_region *region = edge->region;
    const unsigned char *high = region->low + region->page + region->bytes, *first = region->high_touch;
    uint64_t count =
        count_painted_over(edge->buffer + edge->bytes, high + (region->high_open ? region->page : 0), &first);
    if (count || region->high_open)
        return report_write(vertex, edge, count ? count : 1, "beyond", first);
    const unsigned char *first_low = region->low_touch;
    count = count_painted_over(region->red, edge->buffer, &first_low);
    if (region->low_open)
        count += count_painted_over(region->low, region->low + region->page, &first_low);
    if (count || region->low_open)
        return report_write(vertex, edge, count ? count : 1, "before", first_low);
    if (edge->field->direction == FIELD_INPUT && !edge->row_bytes && edge->bytes &&
        memcmp(edge->buffer, edge->data, edge->bytes) != 0) {
        uint64_t at = 0;
        while (edge->buffer[at] == edge->data[at])
            ++at;
        return report_edge(vertex, edge, "wrote to input", (int64_t)at);
    }
    return true;
}

/* Reports an access that cannot continue, or another fault. */
static bool report_fault(const struct vertex_at *vertex, const struct checked *checked)
{
    const struct fault *fault = &fault_thread.fault;
    const char *verb = fault->write ? "wrote" : "read";
    char did[128];
    for (size_t i = 0; i < checked->edges.count && (fault->signal == SIGSEGV || fault->signal == SIGBUS); ++i) {
        const struct checked_edge *edge = checked->edges.data + i;
        const struct fault_region *region = edge->region;
        const unsigned char *space = region->low - FAULT_GUARD_BYTES;
        if (fault->address < space || fault->address >= space + reserved(checked, region->bytes))
            continue;
        char what[32];
        snprintf(what, sizeof(what), "%s %s", verb, fault->address < edge->buffer ? "before" : "beyond");
        return report_edge(vertex, edge, what, fault->address - edge->buffer);
    }
    fault_text(fault, did, sizeof(did));
    struct str where = { 0 };
    run_fail(vertex->run, POP_APPLICATION_RUNTIME_ERROR, "vertex %u (%s) %s%s", (unsigned)vertex->id,
             vertex->codelet->name, did, where_text(vertex, &where));
    str_free(&where);
    return false;
}

/* ---- running ---- */

/* Returns 0: it ran; 1: it reported a failure; FAULT_HAPPENED; FAULT_ABANDONED; FAULT_EXITED. */
static int call_vertex(struct execute_frame *frame, codelet_run run, struct fault_watch *watch,
                       const atomic_bool *abandon, bool *agrees)
{
    struct exit_guard guard;
    int how = EXIT_GUARD_ENTER(&guard) ? setjmp(frame->jump) : FAULT_EXITED;
    if (!how) {
        fault_thread.abandon = abandon;
        fault_watch_begin(watch, &frame->jump);
        if (frame->behave.set)
            behave_begin(&frame->behave, frame->behave.first);
        *agrees &= run(&frame->call);
    }
    exit_guard_leave(&guard);
    fault_watch_end();
    *codelet_place() = NULL;
    if (frame->behave.set)
        behave_end(&frame->behave);
    return how;
}

static int run_placed(const struct vertex_at *vertex, const struct group_run *group, struct checked *checked,
                      struct vertex_failure *failure, bool *agrees)
{
    struct execute_frame frame = { .failure = failure,
                                   .behave = { .set = vertex->behave, .first = vertex->in_set },
                                   .external = { group->external,
                                                 vertex->run->image,
                                                 vertex->set,
                                                 vertex->in_set,
                                                 true,
                                                 vertex->run->replica->random,
                                                 false,
                                                 vertex->set->counted ? vertex->run->replica->counted : NULL,
                                                 vertex->run->engine->calls,
                                                 NULL,
                                                 NULL,
                                                 group->codelet,
                                                 vertex->run->replica->weights,
                                                 vertex->run->replica->executed_sets,
                                                 { 0 } } };
    if (frame.external.counted)
        frame.external.counted[vertex->in_set] = 0; /* the run before was the same */
    unsigned char *state = vertex->run->replica->states + vertex->state;
    frame.call = (struct codelet_call){ .states = state,
                                        .stride = group->stride,
                                        .count = 1,
                                        .workers = group->workers,
                                        .current = state,
                                        .fail = execute_on_fail,
                                        .narrow = behave_narrow,
                                        .tile = execute_tile,
                                        .keep = keep_block,
                                        .assemble = external_assemble,
                                        .seed = execute_seed(vertex->run->replica) + vertex->in_set };
    int how = call_vertex(&frame, group->run, &checked->watch, &vertex->run->engine->abandon, agrees);
    external_end(&frame.external);
    restore_edges(checked);
    if (how == FAULT_EXITED)
        execute_name_exit(failure);
    return how == FAULT_EXITED ? 1 : how;
}

/* Whether the fault is a read in the guard or the moat below a field. */
static bool is_read_before(const struct checked *checked)
{
    const struct fault *fault = &fault_thread.fault;
    for (size_t i = 0; i < checked->edges.count; ++i) {
        const struct checked_edge *edge = checked->edges.data + i;
        if (fault->address >= edge->region->low - FAULT_GUARD_BYTES && fault->address < edge->buffer)
            return !fault->write && (fault->signal == SIGSEGV || fault->signal == SIGBUS);
    }
    return false;
}

/* The first run: only a read before a field is an error, others are found by the second one.  Restores the
 * vertex state. */
static bool run_at_front(const struct vertex_at *vertex, const struct group_run *group, struct checked *checked)
{
    struct vertex_failure failure = { .vertex = vertex->in_set, .type = vertex->codelet->name };
    unsigned char *state = vertex->run->replica->states + vertex->state;
    bool agrees = true, fine = true;
    checked->state.count = 0;
    memcpy(vec_extend(&checked->state, vertex->codelet->state_bytes), state, vertex->codelet->state_bytes);
    int how = run_placed(vertex, group, checked, &failure, &agrees);
    memcpy(state, checked->state.data, checked->state.count);
    if (how == FAULT_ABANDONED) {
        execute_abandoned(vertex->run, vertex->set);
        fine = false;
    } else if (how == FAULT_HAPPENED && is_read_before(checked)) {
        fine = report_fault(vertex, checked);
    }
    fault_watch_close(&checked->watch);
    return fine;
}

static bool run_vertex(const struct vertex_at *vertex, const struct group_run *group, struct checked *checked,
                       bool *agrees)
{
    struct vertex_failure failure = { .vertex = vertex->in_set, .type = vertex->codelet->name };
    int how = run_placed(vertex, group, checked, &failure, agrees);
    if (how == 1)
        execute_report(vertex->run, vertex->set, &failure);
    if (how == FAULT_ABANDONED) {
        execute_abandoned(vertex->run, vertex->set);
        fault_watch_close(&checked->watch);
        return false;
    }
    bool fine = how == 0;
    for (size_t i = 0; i < checked->edges.count && how != 1; ++i)
        if (!check_edge(vertex, checked->edges.data + i)) {
            fine = false;
            how = 1; /* the first error is the one to report */
        }
    if (how == FAULT_HAPPENED)
        report_fault(vertex, checked);
    fault_watch_close(&checked->watch);
    return fine;
}

static bool place_or_fail(const struct vertex_at *vertex, struct checked *checked, bool at_front)
{
    if (place_edges(checked, at_front))
        return true;
    restore_edges(checked);
    run_fail(vertex->run, POP_SYSTEM_RUNTIME_ERROR, "cannot get host memory for checked execution");
    return false;
}

static bool check_vertex(const struct vertex_at *vertex, const struct group_run *group, uint64_t sizes, bool *agrees)
{
    struct checked *checked = vertex->run->engine->checked;
    find_edges(checked, vertex->run->replica, vertex->codelet, vertex->state, sizes);
    /* In assembly each access is checked, and one run finds all. */
    bool front = group->external || (place_or_fail(vertex, checked, true) && run_at_front(vertex, group, checked));
    if (!front || !place_or_fail(vertex, checked, false) || !run_vertex(vertex, group, checked, agrees))
        return false;
    for (size_t i = 0; i < checked->edges.count; ++i) {
        const struct checked_edge *edge = checked->edges.data + i;
        if (edge->field->direction != FIELD_INPUT && edge->bytes && !edge->row_bytes)
            memcpy(edge->data, edge->buffer, edge->bytes);
    }
    return true;
}

/* The gathers of one vertex, from a cursor over the set's. */
static uint64_t run_gathers(const struct replica *replica, const struct image_set *set, uint64_t at, uint64_t vertex,
                            bool before)
{
    const struct image *image = replica->engine->image;
    for (; at < set->first_gather + set->gathers && image->gathers.data[at].vertex_in_set == vertex; ++at) {
        const struct image_gather *gather = image->gathers.data + at;
        unsigned char *buffer = replica->scratch + gather->scratch;
        if (before && gather->before)
            copy_run(image, image->copies.data + gather->before - 1, replica->storage, buffer, NULL);
        else if (!before && gather->after)
            copy_run(image, image->copies.data + gather->after - 1, buffer, replica->storage, NULL);
    }
    return at;
}

static bool check_vertices(struct engine_run *run, const struct image_set *set, const struct behave *behave,
                           bool *consensus)
{
    const struct replica *replica = run->replica;
    const struct image *image = run->image;
    uint64_t gather = set->first_gather, index = set->first_vertex_id;
    for (uint32_t g = 0; g < set->groups; ++g) {
        const struct image_group *group = image->groups.data + set->first_group + g;
        struct vertex_at vertex = {
            run, set, image_codelet(image, group->codelet), group->states, group->first_vertex_in_set, 0, NULL, behave
        };
        for (uint64_t i = 0; i < group->count; ++i, ++index, ++vertex.in_set, vertex.state += group->stride) {
            vertex.id = image->vertex_ids.data[index];
            vertex.place = image->vertex_places.count ? image->vertex_places.data + index : NULL;
            run_gathers(replica, set, gather, vertex.in_set, true);
            if (!check_vertex(&vertex, replica->groups + set->first_group + g, image->edge_first.data[index],
                              consensus))
                return false;
            gather = run_gathers(replica, set, gather, vertex.in_set, false);
        }
    }
    return true;
}

bool checked_execute(struct engine_run *run, const struct image_set *set, bool *consensus)
{
    if (!set->vertices)
        return true;
    if (!behave_has(run->image))
        return check_vertices(run, set, NULL, consensus);
    struct behave behave;
    behave_begin_set(&behave, run->replica, set);
    bool good = check_vertices(run, set, &behave, consensus);
    behave_end_set(&behave, run->replica);
    return good;
}
