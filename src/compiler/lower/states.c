/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a vertex: the codelet's defaults, then what each field was given; the layout is in popc/codelet.h.
 *
 * An edge is a reference into storage if it is one run, aligned as its field requires, and not an Input that its own
 * vertex also writes. Other edges get a buffer in scratch, which is filled before the vertex runs (also for Outputs, so
 * that elements the vertex does not write keep their value) and, if the field writes, scattered after it.  An Input
 * that overlaps what its vertex writes in place sees the elements as they were. */
#include "compiler/lower/states.h"

#include "compiler/common/edges.h"
#include "compiler/lower/plan.h"

#include <assert.h>

enum { FEW_WRITES = 8, STATE_DATA_ALIGNMENT = 16 };

static void put_word(struct compiler *c, uint64_t at, uint64_t word)
{
    assert(at + sizeof(word) <= c->image->states.count);
    memcpy(c->image->states.data + at, &word, sizeof(word));
}

static void put_pointer(struct compiler *c, uint64_t at, uint64_t reference, bool has_size, uint64_t size)
{
    put_word(c, at, reference);
    if (has_size)
        put_word(c, at + 8, size);
}

/* Where the next table or vector data begins; where no size is beside its pointer, its number of items precedes it. */
static uint64_t items_after(uint64_t end, bool counted)
{
    return align_up(end + (counted ? 8 : 0), STATE_DATA_ALIGNMENT);
}

static uint64_t add_items(struct filler *f, uint64_t items, uint64_t item_bytes, bool counted)
{
    struct compiler *c = f->c;
    uint64_t end = f->part->items, at = items_after(end, counted), bytes = at - end + items * item_bytes;
    assert(end + bytes <= f->part->items_end);
    memset(c->image->states.data + end, 0, bytes);
    f->part->items += bytes;
    if (counted)
        put_word(c, at - 8, items);
    return at;
}

/* Whether a vertex can use an edge in place; *run is then its elements. */
static bool in_place(const struct compiler *c, const struct codelet_field *field, const struct edge *edge,
                     struct run *run)
{
    assert(field->alignment == 0 || (field->alignment & (field->alignment - 1)) == 0);
    if (!edge_single_run(c->store, edge, run))
        return false;
    if (!run->count || field->alignment <= 1)
        return true;
    return !(run->offset * variable_element_bytes(c, run->variable) & (field->alignment - 1)); /* a power of two */
}

static void note_write(struct filler *f, const struct codelet_field *field, const struct edge *edge)
{
    struct run run;
    if (in_place(f->c, field, edge, &run) && run.count)
        *vec_push(&f->writes) = run;
}

static int run_order(const void *left, const void *right)
{
    const struct run *a = left, *b = right;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* Collects the runs that the vertex writes in place; none if it has no Input that could overlap them. */
static void note_writes(struct filler *f, const struct codelet *codelet)
{
    bool reads = false;
    f->writes.count = 0;
    for (uint32_t i = 0; i < codelet->field_count; ++i)
        reads |= codelet->fields[i].direction == FIELD_INPUT;
    for (uint32_t i = 0; reads && i < codelet->field_count; ++i) {
        const struct codelet_field *field = &codelet->fields[i];
        if (field->direction == FIELD_STATE || field->direction == FIELD_INPUT || !f->edge_of[i])
            continue;
        const struct edge *edge = f->edge_of[i];
        if (edge->form != EDGE_LIST)
            note_write(f, field, edge);
        for (uint64_t row = 0; edge->form == EDGE_LIST && row < edge->count; ++row)
            note_write(f, field, edge_row(f->c->store, edge, row));
    }
    if (f->writes.count > FEW_WRITES)
        qsort(f->writes.data, f->writes.count, sizeof(*f->writes.data), run_order);
}

static bool runs_meet(const struct run *a, const struct run *b)
{
    return a->variable == b->variable && a->offset < b->offset + b->count && b->offset < a->offset + a->count;
}

/* Writes are disjoint (pass_hazard has checked it), so that of many, in order, only the last one that begins before the
 * run's end can meet it. */
static bool vertex_writes(const struct filler *f, const struct run *run)
{
    if (f->writes.count <= FEW_WRITES) {
        for (size_t i = 0; i < f->writes.count; ++i)
            if (runs_meet(&f->writes.data[i], run))
                return true;
        return false;
    }
    struct run end = { run->variable, run->offset + run->count, 0 };
    size_t low = 0, high = f->writes.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (run_order(&f->writes.data[middle], &end) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low && runs_meet(&f->writes.data[low - 1], run);
}

/* Reference to the elements of an edge, for the states at `at`; an empty edge gets a readable address too. */
static uint64_t edge_reference(struct filler *f, const struct codelet_field *field, const struct edge *edge,
                               uint64_t at, uint64_t *elements)
{
    struct run run = { 0 };
    *elements = edge_elements(f->c->store, edge);
    if (!*elements)
        return IMAGE_REF(BLOCK_STORAGE, 0);
    f->part->work += *elements * pop_type_size((pop_type)field->type);
    if (in_place(f->c, field, edge, &run) &&
        (field->direction != FIELD_INPUT || !f->writes.count || !vertex_writes(f, &run)))
        return IMAGE_REF(BLOCK_STORAGE,
                         f->storage->offset[run.variable] + run.offset * variable_element_bytes(f->c, run.variable));
    *vec_push(&f->part->gathers) = (struct late_gather){ at, field, *edge, f->vertex_in_set };
    return 0;
}

/* Initial contents of vector state (or a row of it); returns where they are. */
static uint64_t add_state_data(struct filler *f, const struct codelet_field *field, const struct edge *edge,
                               bool counted)
{
    struct compiler *c = f->c;
    size_t bytes = pop_type_size((pop_type)field->type);
    uint64_t at = add_items(f, edge->count, bytes, counted);
    if (edge->form == EDGE_DATA && edge->count)
        memcpy(c->image->states.data + at, edge_data(c->store, edge), edge->count * bytes);
    return IMAGE_REF(BLOCK_STATE, at);
}

/* A table of what the rows of a list are connected to, or start as. */
static void fill_table(struct filler *f, const struct codelet_field *field, const struct edge *edge, uint64_t at)
{
    assert(field->shape == SHAPE_VECTOR_LIST || edge->count == 0 ||
           (uint64_t)edge->offset + edge->count <= f->c->store->edges.count);
    struct compiler *c = f->c;
    uint64_t stride = table_stride(field);
    uint64_t table = add_items(f, edge->count, stride, !field->has_size);
    put_pointer(c, at, IMAGE_REF(BLOCK_STATE, table), field->has_size, edge->count);
    for (uint64_t i = 0; i < edge->count; ++i) {
        const struct edge *row = edge_row(c->store, edge, i);
        uint64_t elements = row->count, entry = table + i * stride;
        uint64_t reference = field->direction == FIELD_STATE ? add_state_data(f, field, row, !field->inner_has_size)
                                                             : edge_reference(f, field, row, entry, &elements);
        put_pointer(c, entry, reference, field->inner_has_size, elements);
    }
}

static void fill_field(struct filler *f, const struct codelet_field *field, const struct edge *edge, uint64_t at)
{
    struct compiler *c = f->c;
    if (edge->form == EDGE_LIST) {
        fill_table(f, field, edge, at);
    } else if (field->direction != FIELD_STATE) {
        uint64_t elements, reference = edge_reference(f, field, edge, at, &elements);
        put_pointer(c, at, reference, field->shape != SHAPE_SCALAR && field->has_size, elements);
    } else if (edge->form == EDGE_VALUE) {
        uint64_t bits = edge_value(edge);
        memcpy(c->image->states.data + at, &bits, pop_type_size((pop_type)field->type));
    } else {
        put_pointer(c, at, add_state_data(f, field, edge, !field->has_size), field->has_size, edge->count);
    }
}

/* The newest edge of each field is first in the list and takes precedence. */
static void find_edges(struct filler *f, struct edge_list list, const struct codelet *codelet)
{
    for (uint32_t i = 0; i < codelet->field_count; ++i)
        f->edge_of[i] = NULL;
    for (uint32_t e = list.first; e != NO_EDGE; e = edge_next(list.edges, e))
        if (!f->edge_of[list.edges[e].field])
            f->edge_of[list.edges[e].field] = &list.edges[e];
}

/* ---- parts ---- */

bool state_has_items(const struct codelet *codelet)
{
    for (uint32_t i = 0; i < codelet->field_count; ++i) {
        const struct codelet_field *field = &codelet->fields[i];
        if (field_has_table(field) || (field->direction == FIELD_STATE && field->shape != SHAPE_SCALAR))
            return true;
    }
    return false;
}

static void space_add(struct item_space *space, uint64_t items, uint64_t item_bytes, bool counted)
{
    uint64_t at = space->any ? items_after(space->end, counted) : 0;
    space->counted = space->any ? space->counted : counted;
    space->any = true;
    space->end = at + items * item_bytes;
}

uint64_t space_end(const struct item_space *space, uint64_t begin)
{
    return space->any ? items_after(begin, space->counted) + space->end : begin;
}

/* Measures items in the order in which fill_field adds them. */
static void measure_field(const struct filler *f, const struct codelet_field *field, const struct edge *edge,
                          struct item_space *space)
{
    uint64_t bytes = pop_type_size((pop_type)field->type);
    bool state = field->direction == FIELD_STATE;
    if (edge->form == EDGE_LIST) {
        space_add(space, edge->count, table_stride(field), !field->has_size);
        for (uint64_t i = 0; state && i < edge->count; ++i)
            space_add(space, edge_row(f->c->store, edge, i)->count, bytes, !field->inner_has_size);
    } else if (state && edge->form != EDGE_VALUE) {
        space_add(space, edge->count, bytes, !field->has_size);
    }
}

void measure_part(struct filler *f, struct state_part *part)
{
    const pop_store *store = f->c->store;
    struct window window;
    window_init(&window, store, f->order, &part->places, 1, NULL);
    for (uint64_t i = part->places.first; i < part->places.first + part->places.count; ++i) {
        find_edges(f, window_edges(&window, i), part->codelet);
        for (uint32_t k = 0; k < part->codelet->field_count; ++k)
            if (f->edge_of[k])
                measure_field(f, &part->codelet->fields[k], f->edge_of[k], &part->space);
    }
    window_free(&window);
}

static void fill_state(struct filler *f, struct edge_list list, const struct codelet *codelet, uint64_t at)
{
    assert(at + codelet->state_bytes <= f->c->image->states.count);
    memcpy(f->c->image->states.data + at, codelet->defaults, codelet->state_bytes);
    find_edges(f, list, codelet);
    note_writes(f, codelet);
    for (uint32_t i = 0; i < codelet->field_count; ++i)
        if (f->edge_of[i])
            fill_field(f, &codelet->fields[i], f->edge_of[i], at + codelet->fields[i].offset);
}

void fill_part(struct filler *f, struct state_part *part)
{
    struct image *image = f->c->image;
    const struct codelet *codelet = part->codelet;
    struct window window;
    f->part = part;
    part->work += part->places.count * codelet->state_bytes;
    window_init(&window, f->c->store, f->order, &part->places, 1, NULL);
    for (uint64_t i = 0; i < part->places.count; ++i) {
        uint64_t at = part->at + i * part->stride;
        f->vertex_in_set = part->vertex_in_set + (uint32_t)i;
        fill_state(f, window_edges(&window, part->places.first + i), codelet, at);
        memset(image->states.data + at + codelet->state_bytes, 0, part->stride - codelet->state_bytes);
    }
    assert(part->items == part->items_end);
    window_free(&window);
}

void add_gather(struct compiler *c, const struct storage_result *storage, const struct late_gather *late,
                struct gather_space *space)
{
    const struct edge *edge = &late->edge;
    uint64_t elements = edge_elements(c->store, edge);
    assert(elements && edge->form != EDGE_LIST);
    struct digit digit = { edge->count, 1 };
    struct piece piece = { .variable = edge->variable,
                           .digits = elements > 1,
                           .offset = edge->offset,
                           .elements = elements,
                           .digit = &digit };
    struct plan_side side =
        edge->form == EDGE_RUN ? (struct plan_side){ NULL, &piece } : plan_side_of_view(edge_view(c->store, edge));
    unsigned element_bytes = (unsigned)pop_type_size((pop_type)late->field->type);
    struct image_gather gather = { .vertex_in_set = late->vertex_in_set,
                                   .last_vertex = late->vertex_in_set,
                                   .scratch = space->scratch,
                                   .bytes = elements * element_bytes };
    gather.before = plan_copy(&c->moves, storage->offset, side, PLAN_BUFFER, elements, element_bytes) + 1;
    if (late->field->direction != FIELD_INPUT)
        gather.after = plan_copy(&c->moves, storage->offset, PLAN_BUFFER, side, elements, element_bytes) + 1;
    uint64_t known = c->image->gathers.count;
    uint64_t index = shared_gathers_add(&space->shared, c->image, &gather, !c->options->checked);
    put_word(c, late->at, IMAGE_REF(BLOCK_SCRATCH, c->image->gathers.data[index].scratch));
    if (index < known)
        return;
    space->scratch = align_up(space->scratch + gather.bytes, STORAGE_ALIGNMENT);
    space->work += 2 * gather.bytes;
}

void fill_checks(struct filler *f, uint32_t vertex, const struct codelet *codelet)
{
    const pop_store *store = f->c->store;
    struct image *image = f->c->image;
    const struct vertex *v = &store->vertices.data[vertex];
    pop_where where = store->wheres.data[v->where];
    find_edges(f, (struct edge_list){ store->edges.data, v->edge, NULL }, codelet);
    *vec_push(&image->vertex_places) = (struct image_place){ compiler_string(f->c, where.file), v->tile, where.line };
    *vec_push(&image->edge_first) = image->edge_bytes.count;
    for (uint32_t i = 0; i < codelet->field_count; ++i) {
        const struct codelet_field *field = &codelet->fields[i];
        uint64_t bytes = pop_type_size((pop_type)field->type);
        if (field->direction == FIELD_STATE)
            continue;
        const struct edge *edge = f->edge_of[i];
        *vec_push(&image->edge_bytes) = edge->form == EDGE_LIST ? edge->count : edge_elements(store, edge) * bytes;
        for (uint64_t row = 0; edge->form == EDGE_LIST && row < edge->count; ++row)
            *vec_push(&image->edge_bytes) = edge_elements(store, edge_row(store, edge, row)) * bytes;
    }
}
