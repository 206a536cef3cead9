/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/device_code.h"
#include "popc/device_object.h"
#include "popc/popc.h"

#include "base/str.h"

#include <pthread.h>

const char *const device_arch_names[DEVICE_ARCHS] = { "ipu1", "ipu2", "ipu21" };

const struct device_code device_code_missing = { .estimated = true,
                                                 .reason = "it was compiled without popc's --target" };

enum device_arch device_arch_of(const pop_target *target)
{
    int arch = 0;
    while (arch < DEVICE_ARCHS && strcmp(target->arch, device_arch_names[arch]) != 0)
        ++arch;
    return (enum device_arch)arch;
}

/* For a module without code for the target: the size of the host's run function, into which small computes are
 * inlined, minus the code around them, rounded up to whole instructions. A compute that was not inlined is
 * underestimated. */
enum { SURROUNDING_BYTES = 80, MIN_BYTES = 8, INSTRUCTION_BYTES = 4 };

static uint32_t estimate(const struct module *module, const struct codelet *codelet)
{
    if (codelet->object >= module->object_count) /* a module without code, made by hand */
        return MIN_BYTES;
    const struct module_object *object = module->objects + codelet->object;
    uint64_t host = host_code_bytes(object->data, object->size, codelet->symbol);
    uint64_t bytes = host > SURROUNDING_BYTES + MIN_BYTES ? host - SURROUNDING_BYTES : MIN_BYTES;
    bytes = (bytes + INSTRUCTION_BYTES - 1) / INSTRUCTION_BYTES * INSTRUCTION_BYTES;
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* Measures at first use, under a lock because threads share modules. */
static const struct device_code *codes_of(struct module *module, enum device_arch arch)
{
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&one);
    if (module->later >> arch & 1)
        popc_measure(module, arch);
    module->later &= ~(1u << arch);
    pthread_mutex_unlock(&one);
    return module->devices[arch];
}

bool device_code_of(const struct module *module, const struct codelet *codelet, const pop_target *target,
                    struct device_code *code)
{
    enum device_arch arch = device_arch_of(target);
    *code = (struct device_code){ .reason = "" };
    if (arch == DEVICE_ARCHS || target->type == POP_TARGET_CPU)
        return false;
    const struct device_code *codes = codes_of(codelet->module, arch);
    *code = codes ? codes[codelet - module->codelets] : device_code_missing;
    if (!code->bytes)
        code->bytes = estimate(module, codelet);
    return true;
}

/* One line for all codelets with the same reason (those of a source that did not compile): the reason and a few
 * names. */
enum { NAMES_LISTED = 3 };

static void list_missing_like(const struct module *module, const struct device_code *codes, uint32_t first,
                              const char *arch, struct str *lines)
{
    struct str names = { 0 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < module->codelet_count; ++i) {
        bool same = codes[i].estimated && strcmp(codes[i].reason, codes[first].reason) == 0;
        if (same && i < first) {
            str_free(&names);
            return;
        }
        if (same && count++ < NAMES_LISTED)
            str_format(&names, "%s'%s'", names.length ? ", " : "", module->codelets[i].name);
    }
    str_format(lines, "%s: %s: code sizes on %s are estimated for %s", module->name, codes[first].reason, arch,
               names.text ? names.text : "");
    if (count > NAMES_LISTED)
        str_format(lines, " and %u more", (unsigned)(count - NAMES_LISTED));
    str_add(lines, "\n");
    str_free(&names);
}

void device_code_list(const struct module *module, unsigned archs, struct str *lines)
{
    for (int arch = 0; arch < DEVICE_ARCHS && module->codelet_count; ++arch) {
        const struct device_code *codes = module->devices[arch];
        const char *name = device_arch_names[arch];
        if (!(archs >> arch & 1))
            continue;
        if (!codes)
            str_format(lines, "%s: code sizes on %s are estimated: it was compiled without popc's --target %s\n",
                       module->name, name, name);
        for (uint32_t i = 0; codes && i < module->codelet_count; ++i)
            if (codes[i].estimated)
                list_missing_like(module, codes, i, name, lines);
    }
}
