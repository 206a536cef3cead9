/* SPDX-License-Identifier: Apache-2.0 */
/* Splits a record of what ran into pieces, each of which is a record; concatenated they are the whole. */
#ifndef PROFILE_TRACE_PIECES_H
#define PROFILE_TRACE_PIECES_H

#include "image/image.h"
#include "timeline/trace.h"

struct trace_pieces;
/* weights: by step of the model, what one run of it counts.  All three outlive the pieces. */
struct trace_pieces *trace_pieces_begin(const struct trace *trace, const struct model *model, const uint32_t *weights);
/* Adds to *piece what comes next, as much as counts `most` or a few less.  some: at least one op, however much it
 * counts; without, *piece may stay empty before the end.  Returns what it
 * counts, `most` where that is more. */
uint64_t trace_pieces_next(struct trace_pieces *pieces, uint64_t max, bool some, struct trace *piece);
void trace_pieces_free(struct trace_pieces *pieces);

#endif
