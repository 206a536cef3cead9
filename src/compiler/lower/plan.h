/* SPDX-License-Identifier: Apache-2.0 */
/* Copy plans: two views of equally many elements zipped into rectangular moves of bytes. */
#ifndef COMPILER_LOWER_PLAN_H
#define COMPILER_LOWER_PLAN_H

#include "compiler/common/moves.h"
#include "graph/view/view.h"

/* One side of a copy: a view, or elements of one variable, or (both NULL) a buffer from its start. */
struct plan_side {
    const struct view *view;
    const struct piece *piece;
};
#define PLAN_BUFFER ((struct plan_side){ NULL, NULL })

/* Adds a copy of elements of element_bytes each to the image's copies and returns its index.  storage: byte offset of
 * each variable. */
uint32_t plan_copy(struct moves *moves, const uint64_t *storage, struct plan_side source, struct plan_side destination,
                   uint64_t elements, unsigned element_bytes);

static inline struct plan_side plan_side_of_view(const struct view *view)
{
    return (struct plan_side){ view, NULL };
}

#endif
