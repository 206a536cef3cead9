/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TILE_LIST_H
#define TILE_LIST_H

#include "tile/object.h"

/* Adds an object in assembly language, with words, slots and source lines in comments; assembled again, it gives the
 * same words. */
void tile_object_list(const struct tile_object *object, struct str *text);

#endif
