/* SPDX-License-Identifier: Apache-2.0 */
#include "poplibs/codelets.h"

#include <dlfcn.h>
#include <poplar/popc.h>
#include <poplar/text.h>
#include <unistd.h>

/* IPU_POPOPS_GP for "popops". */
enum { VARIABLE_SIZE = 64 };
static void codelet_variable(char variable[VARIABLE_SIZE], const char *name)
{
    size_t length = (size_t)snprintf(variable, VARIABLE_SIZE, "IPU_%s_GP", name);
    for (size_t i = 0; i < length && i < VARIABLE_SIZE; ++i)
        variable[i] = pop_text_upper(variable[i]);
}

/* The path of the codelet file. name is the library's, self any of its functions. The file is
 * DIR/NAME[SUFFIX].x86-64-vN.gp for the highest level N that exists and this machine can run, or
 * DIR/NAME[SUFFIX].gp; the environment variable IPU_NAME_GP overrides the path, POPLIBS_CODELET_SUFFIX sets the
 * suffix. */
static void codelet_file(char *path, size_t size, const char *name, void (*self)(void))
{
    char variable[VARIABLE_SIZE];
    codelet_variable(variable, name);
    const char *given = getenv(variable), *suffix = getenv("POPLIBS_CODELET_SUFFIX");
    Dl_info info;
    void *address;
    memcpy(&address, &self, sizeof(address));
    if (given && *given) {
        snprintf(path, size, "%s", given);
        return;
    }
    const char *file = dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
    const char *slash = strrchr(file, '/');
    int directory = slash ? (int)(slash - file + 1) : 0;
    for (unsigned level = pop_machine_level(); level > 1; --level) {
        snprintf(path, size, "%.*s%s%s.x86-64-v%u.gp", directory, file, name, suffix ? suffix : "", level);
        if (access(path, R_OK) == 0)
            return;
    }
    snprintf(path, size, "%.*s%s%s.gp", directory, file, name, suffix ? suffix : "");
}

void poplibs_add_codelets(const struct call *call, const char *name, const char *mark, void (*self)(void),
                          const poplibs_register *files, size_t count)
{
    char path[4096];
    if (!call_ready(call) || pop_graph_has_codelet(call->graph, mark))
        return;
    codelet_file(path, sizeof(path), name, self);
    if (access(path, R_OK) != 0) {
        const char *slash = strrchr(path, '/');
        struct call load = *call;
        load.api = "addCodelets";
        char variable[VARIABLE_SIZE];
        codelet_variable(variable, name);
        call_fail(&load, POP_FILE_LOAD_ERROR,
                  "there is no codelet file '%s' of library %s in '%.*s' (the variable %s sets another path)",
                  slash ? slash + 1 : path, name, slash ? (int)(slash - path) : 1, slash ? path : ".", variable);
        return;
    }
    if (!pop_graph_add_codelets(call->graph, path))
        return;
    for (size_t i = 0; i < count; ++i)
        files[i](call->graph);
}
