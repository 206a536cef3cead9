/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries that are loaded when they are needed. */
#include "base/plugin.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

void *plugin_load(const char *name, int mode)
{
    Dl_info info;
    char path[4096];
    void *address = NULL;
    void *(*here)(const char *, int) = plugin_load;
    memcpy(&address, &here, sizeof(address));
    if (dladdr(address, &info) && info.dli_fname) {
        const char *slash = strrchr(info.dli_fname, '/');
        snprintf(path, sizeof(path), "%.*s%s", slash ? (int)(slash - info.dli_fname) + 1 : 0, info.dli_fname, name);
        void *plugin = dlopen(path, mode);
        if (plugin)
            return plugin;
    }
    return dlopen(name, mode);
}
