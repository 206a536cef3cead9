/* SPDX-License-Identifier: Apache-2.0 */
/* Codelets have no thread-local variables of their own: for those of a loaded object the C library allocates memory at
 * their first use in a thread, and ends the process where there is none.  These are in the memory that a thread starts
 * with, and what they point to may be missing. */
#include "engine/engine.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { KEYS = 2 };

static _Thread_local __attribute__((tls_model("initial-exec"))) struct kept {
    void *block;
    size_t bytes;
} kept[KEYS];

static pthread_key_t at_end;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool has_key;

static void free_blocks(void *ignored)
{
    (void)ignored;
    for (unsigned key = 0; key < KEYS; ++key) {
        free(kept[key].block);
        kept[key] = (struct kept){ 0 };
    }
}

static void make_key(void)
{
    has_key = pthread_key_create(&at_end, free_blocks) == 0;
}

void *keep_block(unsigned key, size_t bytes)
{
    if (key >= KEYS)
        return NULL;
    if (kept[key].bytes == bytes)
        return kept[key].block;
    /* The C library's calloc: a failure is none of the call, since codelets do without the block. */
    pthread_once(&once, make_key);
    if (!has_key || pthread_setspecific(at_end, kept) != 0)
        return NULL;
    free(kept[key].block);
    kept[key] = (struct kept){ calloc(1, bytes), bytes };
    if (!kept[key].block)
        kept[key].bytes = 0;
    return kept[key].block;
}
