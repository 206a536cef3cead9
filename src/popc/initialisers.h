/* SPDX-License-Identifier: Apache-2.0 */
/* Static initialisers of an object of codelets.  The loader does not run them: it would hold its lock, and nothing
 * could stop one that fails. */
#ifndef POPC_INITIALISERS_H
#define POPC_INITIALISERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct initialisers {
    uint64_t address, count; /* of the list, in the object */
    size_t size_at[2]; /* where in the file the lists' sizes are: of initialisers and of finalisers; 0 when there are
                          none */
};

void initialisers_find(const void *object, size_t size, struct initialisers *found);
/* Whether there are others than the compiler's own. */
static inline bool initialisers_any(const struct initialisers *found)
{
    return found->count > 1;
}
/* Of a loaded object, in order. */
void initialisers_run(const struct initialisers *found, void *handle);

#endif
