/* SPDX-License-Identifier: Apache-2.0 */
/* Static initialisers of an object of codelets. They run outside dlopen, which would hold the loader's lock, and
 * where one that fails could not be stopped. */
#ifndef POPC_MODULE_INITIALISERS_H
#define POPC_MODULE_INITIALISERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct initialisers {
    uint64_t address, count; /* of the list, in the object */
    size_t size_at[2];       /* file offsets of the sizes of the lists (initialisers, finalisers); 0: none */
};

void initialisers_find(const void *object, size_t size, struct initialisers *found);
/* Whether the object has initialisers other than the compiler's own. */
static inline bool initialisers_any(const struct initialisers *found)
{
    return found->count > 1;
}
/* Runs the initialisers of a loaded object in order. */
void initialisers_run(const struct initialisers *found, void *handle);

#endif
