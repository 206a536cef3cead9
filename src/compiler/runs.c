/* SPDX-License-Identifier: Apache-2.0 */
#include "compiler/runs.h"

/* Run number `done` of a piece: the innermost digit is the run when its stride is 1. */
static struct run piece_run(const struct piece *piece, uint64_t done)
{
    bool inner = piece->digits && piece->digit[piece->digits - 1].stride == 1;
    struct run run = { piece->variable, piece->offset, inner ? piece->digit[piece->digits - 1].extent : 1 };
    for (uint32_t d = piece->digits - inner; d-- > 0; done /= piece->digit[d].extent)
        run.offset += done % piece->digit[d].extent * (uint64_t)piece->digit[d].stride;
    return run;
}

static void load_run(struct run_cursor *cursor)
{
    while (cursor->at < cursor->count) {
        const struct piece *piece = &cursor->pieces[cursor->at];
        struct run run = piece_run(piece, cursor->done);
        if (piece->elements && cursor->done < piece->elements / run.count) {
            cursor->run = run;
            ++cursor->done;
            return;
        }
        ++cursor->at;
        cursor->done = 0;
    }
    cursor->run.count = 0;
}

void run_cursor_begin(struct run_cursor *cursor, const struct piece *pieces, size_t count)
{
    *cursor = (struct run_cursor){ .pieces = pieces, .count = count };
    load_run(cursor);
}

void run_cursor_skip(struct run_cursor *cursor, uint64_t elements)
{
    cursor->run.offset += elements;
    cursor->run.count -= elements;
    if (!cursor->run.count)
        load_run(cursor);
}
