/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/run_names.h"

void run_names_add(struct run_names *names, const char *name)
{
    uint32_t id = intern_add(&names->names, name);
    if (!names->list.count || names->list.data[names->list.count - 1].name != id) {
        vec_reserve(&names->list, 1);
        names->list.data[names->list.count].name = id;
        names->list.data[names->list.count++].runs = 0;
    }
    ++names->list.data[names->list.count - 1].runs;
}

const char *run_names_at(const struct run_names *names, uint64_t run)
{
    for (size_t i = 0; i < names->list.count; run -= names->list.data[i++].runs)
        if (run < names->list.data[i].runs)
            return intern_text(&names->names, names->list.data[i].name);
    return "";
}

void run_names_clear(struct run_names *names)
{
    intern_free(&names->names);
    vec_free(&names->list);
    *names = (struct run_names){ 0 };
}
