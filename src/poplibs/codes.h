/* SPDX-License-Identifier: Apache-2.0 */
/* QUARTER tensors in operations that move elements: vertices have fields of bytes, and a new tensor gets the metadata
 * of the one that its codes come from. */
#ifndef POPLIBS_CODES_H
#define POPLIBS_CODES_H

#include "poplibs/call.h"

/* The codes of a QUARTER tensor, UNSIGNED_CHAR; other tensors are unchanged. */
pop_tensor poplibs_codes(const struct call *call, pop_tensor t);
/* The type of the fields of vertices that move elements of a type. */
pop_type poplibs_codes_type(pop_type type);
/* Adds a copy of the metadata to the call's sequence, if the tensors have some. */
void poplibs_copy_metadata(const struct call *call, pop_tensor from, pop_tensor to);
/* A new variable of t's type, without a mapping, that shares its metadata. */
pop_tensor poplibs_new_like(const struct call *call, pop_tensor t, pop_shape shape, const char *name);

#endif
