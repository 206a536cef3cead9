/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/device/device.h"
#include "popc/module/resolve.h"

/* The codelets of an object stand one after another. */
static void measure_object(struct module *module, uint32_t object, const struct module_code *parts, size_t count,
                           enum device_arch arch)
{
    uint32_t first = 0, codelets = 0;
    while (first < module->codelet_count && module->codelets[first].object != object)
        ++first;
    while (first + codelets < module->codelet_count && module->codelets[first + codelets].object == object)
        ++codelets;
    struct device_code *codes = mem_zero(codelets, sizeof(*codes));
    if (codelets && device_measure(parts, count, module->codelets + first, codelets, &module->arena, codes))
        memcpy(module->devices[arch] + first, codes, codelets * sizeof(*codes));
    free(codes);
}

void device_measure_together(struct module *const *modules, size_t count, enum device_arch arch)
{
    struct shared_symbols shared;
    VEC(struct module_code) parts = { 0 };
    shared_symbols_read(&shared, modules, count);
    for (size_t m = 0; m < count; ++m)
        for (uint32_t i = 0; i < modules[m]->object_count; ++i) {
            struct object_list list = { .v = { 0 } };
            if (modules[m]->devices[arch] && modules[m]->objects[i].measured[arch].size)
                object_list_add(&list, modules[m], i);
            object_list_complete(&list, &shared);
            parts.count = 0;
            for (size_t k = 0; k < list.v.count; ++k) {
                const struct module_code *code = list.v.data[k].module->objects[list.v.data[k].object].measured + arch;
                if (code->size)
                    *vec_push(&parts) = *code;
            }
            if (parts.count > 1)
                measure_object(modules[m], i, parts.data, parts.count, arch);
            vec_free(&list.v);
        }
    vec_free(&parts);
    shared_symbols_free(&shared);
}
