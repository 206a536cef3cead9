/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/module/device_code.h"
#include "popc/module/module.h"

#include "base/str.h"

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
