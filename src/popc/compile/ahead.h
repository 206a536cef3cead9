/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation of the object that is counted while the host's code is compiled. */
#ifndef POPC_COMPILE_AHEAD_H
#define POPC_COMPILE_AHEAD_H

#include "popc/compile/build.h"
#include "popc/module/codelet.h"

#include <pthread.h>

struct ahead {
    bool started;
    pthread_t thread;
    struct popc_flags flags;   /* the source's, with what is counted */
    struct module of;          /* what build_counted reads of a module: the uses and the number of vertex types */
    struct popc_source source; /* with these flags, of that module */
    struct str uses;
    const char *device_compiler;
    struct built built;
};

/* Starts it if the source's flags ask for it, where there are a compiler and a processor for it. The source and the
 * reflection are read until ahead_finish. */
void ahead_start(struct ahead *ahead, const struct popc_source *source, const char *device_compiler,
                 const struct reflection *reflection);
/* Waits for it. built->counted receives the result; nothing when it failed. */
void ahead_finish(struct ahead *ahead, struct built *built);

#endif
