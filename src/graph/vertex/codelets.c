/* SPDX-License-Identifier: Apache-2.0 */
/* The vertex types that a graph knows. */
#include "graph/store/store.h"
#include "graph/vertex/vertex.h"

#include "base/log.h"
#include "base/str.h"
#include "popc/compile/flags.h"
#include "popc/module/device_code.h"
#include "popc/module/module.h"
#include "popc/popc.h"

uint32_t store_find_type(const pop_store *store, const char *name)
{
    uint32_t id = intern_find(&store->names, name);
    if (!name || id >= store->type_by_name_count || !store->type_by_name[id])
        return UINT32_MAX;
    return store->type_by_name[id] - 1;
}

/* The index of a type by name, made when it is new. */
static uint32_t type_index(pop_store *store, const char *name)
{
    uint32_t known = store_find_type(store, name);
    if (known != UINT32_MAX)
        return known;
    uint32_t id = intern_add(&store->names, name);
    if (id >= store->type_by_name_count) {
        size_t count = (size_t)id * 2 + 64;
        store->type_by_name = mem_grow(store->type_by_name, count * sizeof(*store->type_by_name));
        memset(store->type_by_name + store->type_by_name_count, 0,
               (count - store->type_by_name_count) * sizeof(*store->type_by_name));
        store->type_by_name_count = count;
    }
    *vec_push(&store->types) = (struct vertex_type){ .name = id };
    store->type_by_name[id] = (uint32_t)store->types.count;
    return (uint32_t)store->types.count - 1;
}

bool store_loaded_type(pop_store *store, pop_where where, const char *api, const char *path, const char *name,
                       uint32_t *type)
{
    if (name && store->last_type < store->types.count) {
        const struct codelet *last = store->types.data[store->last_type].codelet;
        if (last && same_name(last->name, name)) {
            *type = store->last_type;
            return true;
        }
    }
    *type = store_find_type(store, name);
    if (*type != UINT32_MAX && store->types.data[*type].codelet) {
        store->last_type = *type;
        return true;
    }
    if (!name)
        return store_fail_in(store, POP_UNKNOWN_VERTEX_TYPE, where, api, path, "the vertex type is NULL");
    const char **names = mem_alloc(store->types.count * sizeof(*names));
    size_t count = 0;
    char hint[256], library[96] = "";
    if (strncmp(name, "pop", 3) == 0 && strstr(name, "::")) /* one of the operation libraries' */
        snprintf(library, sizeof(library), "; call %.*s::addCodelets(graph) first",
                 (int)(strstr(name, "::") - name < 32 ? strstr(name, "::") - name : 32), name);
    for (size_t i = 0; i < store->types.count; ++i)
        if (store->types.data[i].codelet)
            names[count++] = store->types.data[i].codelet->name;
    error_hint(hint, sizeof(hint), name, names, count);
    free(names);
    return store_fail_in(store, POP_UNKNOWN_VERTEX_TYPE, where, api, path, "no vertex type '%s' is loaded%s%s%s", name,
                         *library ? "" : hint, count || *library ? "" : ": no codelets were added to this graph",
                         library);
}

static bool same_module(const struct module *a, const struct module *b)
{
    bool same = a->codelet_count == b->codelet_count && a->object_count == b->object_count;
    for (uint32_t i = 0; same && i < a->object_count; ++i)
        same = a->objects[i].size == b->objects[i].size &&
               memcmp(a->objects[i].data, b->objects[i].data, a->objects[i].size) == 0;
    return same;
}

/* Whether a file without vertex types is there already. */
static bool added_before(const pop_store *store, const struct module *module)
{
    for (size_t i = 0; i < store->modules.count; ++i)
        if (same_module(store->modules.data[i], module))
            return true;
    return false;
}

bool store_add_module(pop_store *store, pop_where where, const char *api, struct module *module)
{
    if (!module->codelet_count && !module->tile_count && added_before(store, module)) {
        module_release(module);
        return true;
    }
    for (uint32_t i = 0; i < module->codelet_count; ++i) {
        uint32_t known = store_find_type(store, module->codelets[i].name);
        const struct codelet *codelet = known == UINT32_MAX ? NULL : store->types.data[known].codelet;
        if (!codelet)
            continue;
        bool again = same_module(codelet->module, module);
        if (!again)
            store_fail_in(store, POP_GRAPH_OBJECT_LOAD_ERROR, where, api, module->name,
                          "vertex type '%s' of %s is already loaded from %s, which has other code", codelet->name,
                          module->name, codelet->module->name);
        module_release(module);
        return again; /* libraries add the same file repeatedly */
    }
    *vec_push(&store->modules) = module;
    for (uint32_t i = 0; i < module->codelet_count; ++i) {
        uint32_t type = type_index(store, module->codelets[i].name);
        store->types.data[type].codelet = &module->codelets[i];
    }
    return true;
}

static bool take(pop_graph *graph, pop_where where, const char *api, pop_status status, struct module *module,
                 const pop_error *error)
{
    if (status != POP_OK)
        return store_record(graph->store, error, where, api);
    LOG(GRAPH, INFO, "codelets: %zu vertex types", (size_t)module->codelet_count);
    return store_add_module(graph->store, where, api, module);
}

static bool has_ending(const char *file, const char *ending)
{
    size_t n = strlen(file), m = strlen(ending);
    return n >= m && strcmp(file + n - m, ending) == 0;
}

/* A target with compileIPUCode wants code to be measured for it, once a graph is compiled; vertices of an IPU that have
 * no estimator are counted.  In front: the user's last flag may lack its argument. */
static void complete_flags(const pop_target *target, const char *flags, struct str *complete)
{
    if (target->compile_ipu_code && device_arch_of(target) != DEVICE_ARCHS)
        str_format(complete, "--target %s " LATER_FLAG " ", target->arch);
    if (target->type != POP_TARGET_CPU && device_arch_of(target) != DEVICE_ARCHS)
        str_format(complete, AHEAD_FLAG "%s ", target->arch);
    str_add(complete, flags ? flags : "");
}

static pop_status load(const pop_graph *graph, const char *file, const char *flags, struct module **module,
                       pop_error *error)
{
    struct str complete = { 0 };
    complete_flags(&graph->store->target, flags, &complete);
    pop_status status = popc_load(file, complete.text, module, error);
    str_free(&complete);
    return status;
}

static pop_status compile(const pop_graph *graph, enum popc_language language, const char *name, const char *source,
                          const char *flags, struct module **module, pop_error *error)
{
    struct str complete = { 0 };
    complete_flags(&graph->store->target, flags, &complete);
    pop_status status = popc_compile_as(language, name, source, complete.text, module, error);
    str_free(&complete);
    return status;
}

static enum popc_language language_of(pop_codelet_file type)
{
    return type == POP_FILE_C ? POPC_C : type == POP_FILE_CPP ? POPC_CPP : POPC_ASSEMBLY;
}

static bool add_file(pop_where where, const char *api, pop_graph *graph, const char *file, pop_codelet_file type,
                     const char *flags)
{
    if (!graph_ready(graph))
        return false;
    if (!file || !*file)
        return store_fail(graph->store, POP_FILE_LOAD_ERROR, where, api, "no file name was given");
    struct module *module = NULL;
    pop_error error = { 0 };
    pop_status status;
    switch (type) {
    case POP_FILE_AUTO:
    case POP_FILE_OBJECT:
        status = load(graph, file, flags, &module, &error);
        break;
    case POP_FILE_C:
    case POP_FILE_CPP:
    case POP_FILE_ASM:
    case POP_FILE_PREPROCESSED_ASM:
        status = has_ending(file, ".gp") ? load(graph, file, flags, &module, &error)
                                         : compile(graph, language_of(type), file, NULL, flags, &module, &error);
        break;
    default:
        return store_fail_in(graph->store, POP_GRAPH_OBJECT_LOAD_ERROR, where, api, file,
                             "codelets are sources in C, C++ and assembly or .gp files here: POP_FILE_C, POP_FILE_CPP, "
                             "POP_FILE_ASM, POP_FILE_OBJECT or POP_FILE_AUTO");
    }
    return take(graph, where, api, status, module, &error);
}

bool pop_graph_add_codelets_at(pop_where where, pop_graph *graph, const char *file)
{
    return add_file(where, "pop_graph_add_codelets", graph, file, POP_FILE_AUTO, "");
}

bool pop_graph_add_codelets_flags_at(pop_where where, pop_graph *graph, const char *file, pop_codelet_file type,
                                     const char *flags)
{
    return add_file(where, "pop_graph_add_codelets_flags", graph, file, type, flags ? flags : "");
}

bool pop_graph_add_codelets_source_at(pop_where where, pop_graph *graph, const char *source, pop_codelet_file type,
                                      const char *flags)
{
    static const char api[] = "pop_graph_add_codelets_source";
    if (!graph_ready(graph))
        return false;
    if (!source)
        return store_fail(graph->store, POP_FILE_LOAD_ERROR, where, api, "source is NULL");
    if (type != POP_FILE_C && type != POP_FILE_CPP && type != POP_FILE_ASM && type != POP_FILE_PREPROCESSED_ASM)
        return store_fail(graph->store, POP_GRAPH_OBJECT_LOAD_ERROR, where, api,
                          "source text must be C, C++ or assembly: POP_FILE_C, POP_FILE_CPP or POP_FILE_ASM");
    struct module *module = NULL;
    pop_error error = { 0 };
    pop_status status = compile(graph, language_of(type), "<source>", source, flags, &module, &error);
    return take(graph, where, api, status, module, &error);
}

bool pop_graph_has_codelet(const pop_graph *graph, const char *vertex_type)
{
    uint32_t type = graph && vertex_type ? store_find_type(graph->store, vertex_type) : UINT32_MAX;
    return type != UINT32_MAX && graph->store->types.data[type].codelet;
}

void pop_graph_register_perf_estimator_at(pop_where where, pop_graph *graph, const char *vertex_type,
                                          pop_perf_estimator estimator, void *user)
{
    if (!graph_ready(graph))
        return;
    if (!vertex_type || !*vertex_type || !estimator) {
        store_fail(graph->store, POP_POPLAR_ERROR, where, "pop_graph_register_perf_estimator", "%s is missing",
                   estimator ? "the vertex type" : "the estimator");
        return;
    }
    uint32_t index = type_index(graph->store, vertex_type); /* may move the types */
    struct vertex_type *type = &graph->store->types.data[index];
    type->estimator = estimator;
    type->estimator_user = user;
}
