/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of lightweight profiling: those of a lane in a window, a single block, and totals by tile. */
#include "../blocks.h"
#include "trace.h"

#include <math.h>

enum { ROWS = 64, UNKNOWN_BEGIN = 16, UNKNOWN_END = 32 };
static const char *const block_kinds[BLOCK_KINDS] = { "Common", "StreamCopy", "Flush", "Overflow", "Unknown" };

/* A drawn rectangle: a block, the same copy on several tiles, or several blocks narrower than a pixel. */
struct drawn {
    double from, to;
    uint64_t block; /* the first */
    uint32_t program, count, lost;
    uint8_t kind, row, phase;
    bool mixed; /* blocks of several programs */
};
typedef VEC(struct drawn) drawn_list;

/* The blocks that a request is about: those of a tile, or (io) of the unselected tiles of its IPU. */
struct lane {
    struct window window;
    uint64_t tile, io;
    bool *asked; /* by tile: whether it is included */
};

static void find_tiles(struct lane *lane)
{
    const struct lod *lod = lane->window.lod;
    uint64_t tiles = (uint64_t)lod->ipus * lod->tiles_per_ipu;
    lane->asked = mem_zero(tiles + 1, sizeof(*lane->asked));
    if (!lane->io) {
        lane->asked[lane->tile < tiles ? lane->tile : tiles] = true;
        return;
    }
    uint64_t first = lane->tile / lod->tiles_per_ipu * lod->tiles_per_ipu;
    for (uint64_t i = first; i < first + lod->tiles_per_ipu && i < tiles; ++i)
        lane->asked[i] = true;
    for (uint64_t i = 0; i < lod->blocks; ++i)
        if (lod->block[i].tile < tiles && block_of_selected(lod, &lod->block[i]))
            lane->asked[lod->block[i].tile] = false;
}

static int compare_drawn(const void *a, const void *b)
{
    const struct drawn *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->block < y->block ? -1 : x->block > y->block;
}

/* Tiles take part in the same copies: draws one rectangle for each copy, in separate rows where copies overlap. */
static void join_tiles(const struct lod *lod, drawn_list *list)
{
    size_t kept = 0, *last = mem_zero(lod->programs + 1, sizeof(*last)); /* last: 1 + index of a program's last copy */
    double ends[ROWS] = { 0 };
    if (list->count)
        qsort(list->data, list->count, sizeof(*list->data), compare_drawn);
    for (size_t i = 0; i < list->count; ++i) {
        struct drawn one = list->data[i];
        size_t *same = &last[one.program < lod->programs ? one.program : lod->programs];
        if (*same && list->data[*same - 1].to >= one.from) {
            struct drawn *first = &list->data[*same - 1];
            first->to = one.to > first->to ? one.to : first->to;
            ends[first->row] = first->to > ends[first->row] ? first->to : ends[first->row];
            ++first->count;
            continue;
        }
        for (one.row = 0; one.row + 1 < ROWS && ends[one.row] > one.from;)
            ++one.row;
        ends[one.row] = one.to;
        list->data[kept++] = one;
        *same = kept;
    }
    list->count = kept;
    free(last);
}

/* Merges blocks narrower than a pixel, of one kind and row, into one rectangle for each pixel. */
static void join_small(const struct window *window, drawn_list *list)
{
    double width = (window->to - window->from) / window->pixels;
    size_t kept = 0, small[ROWS] = { 0 }; /* small: 1 + index of the last narrow rectangle of a row */
    double pixel[ROWS];
    for (size_t i = 0; i < list->count; ++i) {
        struct drawn one = list->data[i];
        if (one.to - one.from < width) {
            double at = floor(((one.from + one.to) / 2 - window->from) / width);
            struct drawn *last = small[one.row] ? &list->data[small[one.row] - 1] : NULL;
            if (last && pixel[one.row] == at && last->kind == one.kind) {
                last->to = one.to > last->to ? one.to : last->to;
                last->count += one.count;
                last->lost += one.lost;
                last->mixed = last->mixed || last->program != one.program;
                continue;
            }
            pixel[one.row] = at;
            small[one.row] = kept + 1;
        }
        list->data[kept++] = one;
    }
    list->count = kept;
}

static drawn_list blocks_in_window(const struct lane *lane)
{
    const struct lod *lod = lane->window.lod;
    drawn_list list = { 0 };
    for (uint64_t i = 0; i < lod->blocks; ++i) {
        const struct lod_block *block = &lod->block[i];
        if (!lane->asked[block->tile] || block->shown_to < lane->window.from || block->shown_from > lane->window.to)
            continue;
        unsigned phase = block_phase(lod, block);
        *vec_push(&list) = (struct drawn){
            .from = block->shown_from,
            .to = block->shown_to,
            .block = block->number,
            .program = block->program,
            .count = 1,
            .lost = block->lost,
            .kind = (uint8_t)(block->kind | (block->from < 0 ? UNKNOWN_BEGIN : 0) | (block->to < 0 ? UNKNOWN_END : 0)),
            .row = block->row,
            .phase = phase < KINDS ? (uint8_t)phase : UINT8_MAX,
        };
    }
    if (lane->io)
        join_tiles(lod, &list);
    join_small(&lane->window, &list);
    return list;
}

/* A block as the answer has it. */
struct block_row {
    double from, to;
    uint32_t label, count, lost, block;
    uint8_t kind, row, phase;
};

static const struct row_column block_columns[] = {
    { "from", COLUMN_F64, offsetof(struct block_row, from) },
    { "to", COLUMN_F64, offsetof(struct block_row, to) },
    { "label", COLUMN_U32, offsetof(struct block_row, label) },
    { "count", COLUMN_U32, offsetof(struct block_row, count) },
    { "lost", COLUMN_U32, offsetof(struct block_row, lost) },
    { "block", COLUMN_U32, offsetof(struct block_row, block) },
    { "kind", COLUMN_U8, offsetof(struct block_row, kind) },
    { "row", COLUMN_U8, offsetof(struct block_row, row) },
    { "phase", COLUMN_U8, offsetof(struct block_row, phase) },
};

static void answer_drawn(const struct lod *lod, const drawn_list *list, struct answer *answer)
{
    struct block_row *rows = mem_zero(list->count + 1, sizeof(*rows));
    struct labels labels = { 0 };
    for (size_t i = 0; i < list->count; ++i) {
        const struct drawn *one = &list->data[i];
        bool named = one->program < lod->programs && !one->mixed;
        rows[i] = (struct block_row){
            .from = one->from,
            .to = one->to,
            .label = named ? labels_of(&labels, lod, lod->of_program[one->program].leaf) : UINT32_MAX,
            .count = one->count,
            .lost = one->lost,
            .block = (uint32_t)one->block,
            .kind = one->kind,
            .row = one->row,
            .phase = one->phase,
        };
    }
    answer_rows(answer, rows, list->count, sizeof(*rows), block_columns,
                sizeof(block_columns) / sizeof(*block_columns));
    labels_answer(&labels, answer, "labels");
    free(rows);
}

pop_status trace_blocks(const struct request *request, struct answer *answer, pop_error *error)
{
    struct lane lane = { 0 };
    if (!request_uint(request, "tile", 0, &lane.tile, error) || !request_uint(request, "io", 0, &lane.io, error) ||
        !window_of(request, &lane.window, error))
        return error->status;
    find_tiles(&lane);
    drawn_list list = blocks_in_window(&lane);
    answer_drawn(lane.window.lod, &list, answer);
    json_t *names = json_array();
    for (size_t i = 0; i < BLOCK_KINDS; ++i)
        json_array_append_new(names, json_string(block_kinds[i]));
    answer_meta(answer, json_pack("{s:f, s:f, s:I, s:o}", "from", lane.window.from, "to", lane.window.to, "tile",
                                  (json_int_t)lane.tile, "kinds", names));
    vec_free(&list);
    free(lane.asked);
    window_free(&lane.window);
    return POP_OK;
}

static json_t *time_json(double cycle)
{
    return cycle < 0 ? json_null() : json_real(cycle);
}

pop_status trace_block(const struct request *request, struct answer *answer, pop_error *error)
{
    const struct lod *lod = lod_asked(request, error);
    uint64_t index, i = 0;
    if (!lod || !request_uint(request, "index", 0, &index, error))
        return error->status;
    while (i < lod->blocks && lod->block[i].number != index)
        ++i;
    if (i == lod->blocks)
        return answer_fail(error, POP_INVALID_OPTION, "block %llu: the report has %llu", (unsigned long long)index,
                           (unsigned long long)lod->blocks);
    const struct lod_block *block = &lod->block[i];
    unsigned phase = block_phase(lod, block);
    bool known = block->program < lod->programs;
    char *name = known ? lod_name(lod, lod->of_program[block->program].leaf) : NULL;
    json_t *json = json_pack("{s:I, s:I, s:I, s:s, s:I, s:f, s:f, s:b}", "block", (json_int_t)index, "tile",
                             (json_int_t)block->tile, "run", (json_int_t)block->run, "kind", block_kinds[block->kind],
                             "lost", (json_int_t)block->lost, "shownFrom", block->shown_from, "shownTo",
                             block->shown_to, "selected", block_of_selected(lod, block));
    json_object_set_new(json, "name", name ? answer_string(name) : json_null());
    json_object_set_new(json, "program", known ? json_integer((json_int_t)block->program) : json_null());
    json_object_set_new(json, "phase", phase < KINDS ? json_string(kinds[phase].label) : json_null());
    json_object_set_new(json, "from", time_json(block->from));
    json_object_set_new(json, "to", time_json(block->to));
    free(name);
    answer_json(answer, json);
    return POP_OK;
}

/* Columns for each tile that has blocks: the number of blocks of each kind in the window, and their cycles inside
 * it. */
pop_status trace_block_totals(const struct request *request, struct answer *answer, pop_error *error)
{
    struct window window;
    if (!window_of(request, &window, error))
        return error->status;
    const struct lod *lod = window.lod;
    json_t *tiles = json_array();
    for (uint64_t i = 0; i < lod->blocks;) {
        uint64_t first = i;
        double cycles[BLOCK_KINDS] = { 0 }, count[BLOCK_KINDS] = { 0 }, lost = 0, covered = 0;
        bool selected = false;
        for (; i < lod->blocks && lod->block[i].tile == lod->block[first].tile; ++i) {
            const struct lod_block *block = &lod->block[i];
            double from = fmax(block->shown_from, window.from), to = fmin(block->shown_to, window.to);
            selected = selected || block_of_selected(lod, block);
            if (from > to)
                continue;
            cycles[block->kind] += to - from;
            covered += block->row == 0 ? to - from : 0;
            lost += block->lost;
            ++count[block->kind];
        }
        json_t *list = json_array();
        for (unsigned kind = 0; kind < BLOCK_KINDS; ++kind)
            json_array_append_new(list, json_pack("{s:s, s:f, s:f}", "kind", block_kinds[kind], "blocks", count[kind],
                                                  "cycles", cycles[kind]));
        json_array_append_new(tiles, json_pack("{s:I, s:b, s:f, s:f, s:o}", "tile", (json_int_t)lod->block[first].tile,
                                               "selected", selected, "lost", lost, "covered", covered, "kinds", list));
    }
    answer_json(answer, json_pack("{s:f, s:f, s:o}", "from", window.from, "to", window.to, "tiles", tiles));
    window_free(&window);
    return POP_OK;
}
