/* SPDX-License-Identifier: Apache-2.0 */
/* A graph's first use of a source for a device needs two compilations that do not depend on each other: the host's
 * code, and the object whose instructions are counted. The second runs on another processor meanwhile. */
#include "popc/compile/ahead.h"
#include "popc/compile/compile.h"

#include "base/pool.h"

static void *count_ahead(void *context)
{
    struct ahead *ahead = context;
    pop_error error = { 0 };
    if (build_counted(&ahead->source, ahead->device_compiler, &ahead->built, &error) != POP_OK) {
        built_free(&ahead->built); /* the one who asks for the object compiles again, and reports the error */
        ahead->built = (struct built){ 0 };
    }
    return NULL;
}

void ahead_start(struct ahead *ahead, const struct popc_source *source, const char *device_compiler,
                 const struct reflection *reflection)
{
    *ahead = (struct ahead){ .started = false };
    if (!source->flags->ahead || !device_compiler || pool_processors() < 2)
        return;
    ahead->flags = *source->flags;
    ahead->flags.counted = source->flags->ahead;
    ahead->of.codelet_count = (uint32_t)reflection->vertices.count;
    device_uses_write(&ahead->of, reflection, &ahead->uses);
    ahead->of.uses = str_text(&ahead->uses);
    ahead->source = *source;
    ahead->source.flags = &ahead->flags;
    ahead->source.of = &ahead->of;
    ahead->device_compiler = device_compiler;
    ahead->started = pthread_create(&ahead->thread, NULL, count_ahead, ahead) == 0;
}

void ahead_finish(struct ahead *ahead, struct built *built)
{
    if (ahead->started && pthread_join(ahead->thread, NULL) == 0 && ahead->built.module) {
        built->counted = mem_copy(&ahead->built, sizeof(ahead->built));
    }
    str_free(&ahead->uses);
}
