/* SPDX-License-Identifier: Apache-2.0 */
/* What a source of codelets has for other files, and what it uses of theirs. */
#ifndef POPC_REFLECT_REFLECT_SHARED_H
#define POPC_REFLECT_REFLECT_SHARED_H

#include "popc/reflect/reflect.h"

/* Sets reflection->exports and ->imports from the linked object that reflect_object reads. */
void reflect_shared(struct reflection *reflection, const void *object, size_t size);
/* Sets ->imports too where the object that runs uses more. */
void reflect_imports(struct reflection *reflection, const void *object, size_t size);

#endif
