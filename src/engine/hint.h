/* SPDX-License-Identifier: Apache-2.0 */
/* Builds " (did you mean 'x'?)" for handles: collect the valid names, then call hint_text. */
#ifndef ENGINE_HINT_H
#define ENGINE_HINT_H

#include "base/error.h"
#include "base/vec.h"

struct hint {
    VEC(const char *) names;
    char text[160];
};

static inline void hint_add(struct hint *hint, const char *name)
{
    *vec_push(&hint->names) = name;
}

/* Frees the names; the text is valid as long as hint. */
static inline const char *hint_text(struct hint *hint, const char *word)
{
    error_hint(hint->text, sizeof(hint->text), word, hint->names.data, hint->names.count);
    vec_free(&hint->names);
    return hint->text;
}

#endif
