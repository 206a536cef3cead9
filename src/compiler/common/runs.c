/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/common/runs.h"
#include "graph/store/piece_shapes.h"

#include <assert.h>

/* Run number `done` of a piece: the innermost digit is the run when its stride is 1. */
static struct run piece_run(const struct piece *piece, uint64_t done)
{
    bool inner = piece->digits && piece->digit[piece->digits - 1].stride == 1;
    struct run run = { piece->variable, piece->offset, inner ? piece->digit[piece->digits - 1].extent : 1 };
    for (uint32_t d = piece->digits - inner; d-- > 0; done /= piece->digit[d].extent)
        run.offset += done % piece->digit[d].extent * (uint64_t)piece->digit[d].stride;
    return run;
}

/* Runs of a piece in a row: those of its innermost digit but for the run's own. */
static void begin_row(struct run_cursor *cursor, const struct piece *piece, struct run first)
{
    bool inner = piece->digits && piece->digit[piece->digits - 1].stride == 1;
    const struct digit *digit = piece->digits > inner ? &piece->digit[piece->digits - inner - 1] : NULL;
    cursor->row = digit ? digit->extent - 1 : 0;
    cursor->step = digit ? digit->stride : 0;
    cursor->run = cursor->next = first;
    cursor->next.offset += (uint64_t)cursor->step;
}

void run_cursor_load(struct run_cursor *cursor)
{
    assert(!cursor->row);
    while (cursor->at < cursor->view->piece_count) {
        const struct piece *piece = &cursor->piece;
        struct run run = piece_run(piece, cursor->done);
        if (piece->elements && cursor->done < piece->elements / run.count) {
            begin_row(cursor, piece, run);
            ++cursor->done;
            return;
        }
        cursor->done = 0;
        if (++cursor->at < cursor->view->piece_count)
            cursor->piece = view_piece(cursor->view, cursor->at);
    }
    cursor->run.count = 0;
}

void run_cursor_begin(struct run_cursor *cursor, const struct view *view)
{
    *cursor = (struct run_cursor){ .view = view };
    if (view->piece_count)
        cursor->piece = view_piece(view, 0);
    run_cursor_load(cursor);
}

void piece_span(const struct piece *piece, uint64_t *begin, uint64_t *end)
{
    *begin = piece->offset;
    *end = piece->offset + (piece->elements > 0);
    for (uint32_t d = 0; piece->elements && d < piece->digits; ++d) {
        int64_t reach = (int64_t)(piece->digit[d].extent - 1) * piece->digit[d].stride;
        if (reach < 0)
            *begin -= (uint64_t)-reach;
        else
            *end += (uint64_t)reach;
    }
}

static uint64_t stride_of(const struct digit *digit)
{
    return (uint64_t)(digit->stride < 0 ? -digit->stride : digit->stride);
}

/* Each digit steps over all that those of smaller strides reach. */
static bool piece_distinct(const struct piece *piece)
{
    for (uint32_t d = 0; d < piece->digits; ++d) {
        uint64_t stride = stride_of(&piece->digit[d]), reach = 0;
        for (uint32_t k = 0; k < piece->digits; ++k) {
            uint64_t other = stride_of(&piece->digit[k]);
            if (k != d && other == stride)
                return false;
            reach += other < stride ? (piece->digit[k].extent - 1) * other : 0;
        }
        if (reach >= stride)
            return false;
    }
    return true;
}

bool view_distinct(const struct view *view)
{
    uint64_t begin, end, last = 0;
    uint32_t variable = 0; /* of the piece before */
    for (size_t i = 0; i < view->piece_count; ++i) {
        struct piece piece = view_piece(view, i);
        piece_span(&piece, &begin, &end);
        bool same = i && piece.variable == variable;
        if (!piece_distinct(&piece) || (i && piece.variable < variable) || (same && begin < last))
            return false;
        variable = piece.variable;
        last = end;
    }
    return true;
}
