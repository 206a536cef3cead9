/* SPDX-License-Identifier: Apache-2.0 */
/* Reading vertex states as the image holds them: pointer slots, tables and their sizes. */
#ifndef IMAGE_REFERENCE_H
#define IMAGE_REFERENCE_H

#include "image/image.h"

static inline const struct codelet *image_codelet(const struct image *image, uint32_t codelet)
{
    const struct image_codelet *entry = image->codelets.data + codelet;
    return image->modules.data[entry->module]->codelets + entry->index;
}

/* Eight bytes of the states, at any alignment. */
static inline uint64_t image_word(const struct image *image, uint64_t offset)
{
    uint64_t word;
    memcpy(&word, image->states.data + offset, sizeof(word));
    return word;
}

/* Scalar state is in the struct itself; everything else is reached through a pointer. */
static inline bool field_has_pointer(const struct codelet_field *field)
{
    return field->direction != FIELD_STATE || field->shape != SHAPE_SCALAR;
}

/* Entries of a field's table: the size beside the pointer, or the count that is before the table. */
static inline uint64_t table_entries(const struct image *image, const struct codelet_field *field, uint64_t state)
{
    uint64_t reference = image_word(image, state + field->offset);
    if (!reference)
        return 0;
    return image_word(image, field->has_size ? state + field->offset + 8 : IMAGE_REF_OFFSET(reference) - 8);
}

#endif
