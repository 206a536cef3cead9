/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of popc: compile, load. */
#include "popc/popc.h"
#include "popc/compile/cache.h"
#include "popc/compile/command.h"
#include "popc/device/device.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"

#include "base/error.h"
#include "base/file.h"
#include "base/log.h"

#include <pthread.h>
#include <stdio.h>

enum popc_kind { KIND_C, KIND_CODELETS, KIND_ASSEMBLY, KIND_CPP, KIND_UNKNOWN };

static enum popc_kind kind_of(const char *path)
{
    static const struct {
        const char *ending;
        enum popc_kind kind;
    } kinds[] = { { ".c", KIND_C },     { ".gp", KIND_CODELETS }, { ".S", KIND_ASSEMBLY }, { ".s", KIND_ASSEMBLY },
                  { ".cpp", KIND_CPP }, { ".cc", KIND_CPP },      { ".cxx", KIND_CPP },    { ".C", KIND_CPP } };
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    for (size_t i = 0; dot && i < sizeof(kinds) / sizeof(kinds[0]); ++i)
        if (strcmp(dot, kinds[i].ending) == 0)
            return kinds[i].kind;
    return KIND_UNKNOWN;
}

bool popc_is_assembly(const char *path)
{
    return kind_of(path) == KIND_ASSEMBLY;
}

static pop_status refuse_kind(const char *path, pop_error *error)
{
    return error_set(
        error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL,
        "'%s' does not end as a codelet file: .c, .cpp or .S (sources) or .gp (compiled by popc) can be loaded", path);
}

/* ---- one source ---- */

/* A compiler's path and, when present, its identity. */
struct found {
    struct str path, identity;
    bool present;
};

static void found_free(struct found *found)
{
    str_free(&found->path);
    str_free(&found->identity);
}

/* What g++ refuses and clang takes (braces and .x of short vectors, designators out of order, ...) was written for the
 * original's compiler, which is clang.  Keeps the first error when clang refuses the source, too. */
static pop_status build_with_clang(const struct popc_source *source, const struct found *device, struct built *built,
                                   pop_error *error)
{
    struct found clang = { 0 };
    struct built again;
    pop_error other = { 0 };
    clang.present = machine_device_compiler(&clang.path, &clang.identity);
    pop_status status = error->status;
    if (clang.present &&
        build_module(source, clang.path.text, device->present ? device->path.text : NULL, &again, &other) == POP_OK) {
        LOG(CODELETS, INFO, "the host's compiler refuses '%s': it is compiled by %s", source->name, clang.path.text);
        built_free(built);
        *built = again;
        status = POP_OK;
    } else if (clang.present) {
        built_free(&again);
    }
    found_free(&clang);
    return status;
}

/* Those that an entry of the cache depends on. */
static struct compilers compilers_of(const struct popc_flags *flags, const struct found *host,
                                     const struct found *device)
{
    return (struct compilers){ host->identity.text, flags->devices || flags->counted ? device->identity.text : NULL };
}

/* What was made beside it gets an entry of its own, in which popc_counted_object finds it. */
static void store(const struct cache *cache, const struct popc_source *source, const struct built *built,
                  const struct found *host, const struct found *device)
{
    const struct compilers compilers = compilers_of(source->flags, host, device);
    struct popc_flags flags = *source->flags;
    struct popc_source as = *source;
    struct cache own;
    cache_store(cache, source, built, &compilers);
    if (!built->counted)
        return;
    flags.counted = flags.ahead;
    as.flags = &flags;
    if (cache_open(&own, &as))
        store(&own, &as, built->counted, host, device);
    cache_close(&own);
}

static pop_status compile_fresh(const struct popc_source *source, const struct cache *cache, const struct found *host,
                                const struct found *device, struct module **module, struct str *messages,
                                pop_error *error)
{
    struct built built;
    size_t failures = mem_failures();
    const char *clang = device->present ? device->path.text : NULL;
    pop_status status = source->language == POPC_ASSEMBLY ? assembly_build(source, host->path.text, &built, error)
                        : source->flags->counted          ? build_counted(source, clang, &built, error)
                        : source->flags->measured ? build_measured(source, host->path.text, clang, &built, error)
                                                  : build_module(source, host->path.text, clang, &built, error);
    if (status == POP_GRAPH_PROGRAM_COMPILATION_ERROR && source->language == POPC_CPP &&
        !compiler_is_clang(host->path.text) &&
        !strstr(str_text(&built.messages), "(TREMULA_CC_")) /* of a limit: clang takes /dev/zero for an empty file */
        status = build_with_clang(source, device, &built, error);
    if (status == POP_OK && cache && mem_failures() == failures) /* else its key may be incomplete */
        store(cache, source, &built, host, device);
    *module = built.module;
    str_add(messages, str_text(&built.messages));
    built_free(&built);
    if (status == POP_OK)
        LOG(CODELETS, DEBUG, "compiled '%s': %u vertex types%s", source->name,
            (unsigned)(source->of ? source->of : *module)->codelet_count, source->of ? ", for the device" : "");
    return status;
}

static pop_status compile_source(const struct popc_source *source, struct module **module, struct str *messages,
                                 pop_error *error)
{
    struct cache cache;
    struct found host = { 0 }, device = { 0 };
    size_t failures = mem_failures();
    bool cached = source->language != POPC_ASSEMBLY && cache_open(&cache, source); /* assembling is quick */
    bool cpp = source->language == POPC_CPP;
    host.present = (cpp ? machine_cpp_compiler : machine_compiler)(&host.path, &host.identity);
    device.present = (source->flags->devices || source->flags->counted || source->flags->ahead) &&
                     machine_device_compiler(&device.path, &device.identity);
    const struct compilers compilers = compilers_of(source->flags, &host, &device);
    pop_status status = POP_OK;
    if (cached && cache_find(&cache, source, &compilers, module, messages))
        LOG(CODELETS, DEBUG, "'%s' comes from the cache", source->name);
    else if (!host.present)
        status = error_set(error, POP_NO_ENVIRONMENT, NO_WHERE, NULL,
                           "cannot compile '%s': there is no %s compiler '%s'; install %s, set %s to a compiler, or "
                           "load a .gp file that popc made",
                           source->name, cpp ? "C++" : "C", host.path.text, cpp ? "g++" : "gcc",
                           cpp ? "TREMULA_CXX" : "TREMULA_CC");
    else if (source->flags->counted && !device.present)
        status = error_set(
            error, POP_NO_ENVIRONMENT, NO_WHERE, NULL,
            "there is no clang to compile it for the device: install the package clang, or set TREMULA_DEVICE_CC");
    else
        status = compile_fresh(source, cached ? &cache : NULL, &host, &device, module, messages, error);
    if (cached)
        cache_close(&cache);
    found_free(&host);
    found_free(&device);
    if (status != POP_OK && mem_failures() != failures)
        status = error_set(error, POP_SYSTEM_RUNTIME_ERROR, NO_WHERE, NULL, "cannot compile '%s': %s", source->name,
                           ERROR_HOST_MEMORY);
    return status;
}

/* of: what is compiled, without the directories that are searched. */
static pop_status compile_text(const struct popc_source *of, struct module **module, struct str *messages,
                               pop_error *error)
{
    struct popc_source source = *of;
    struct str include = { 0 };
    pop_status status = machine_include(&include, error);
    if (status == POP_OK) {
        const char *slash = strrchr(of->name, '/');
        struct str directory = { 0 }, codelets = { 0 }, bare = { 0 };
        str_add_bytes(&directory, slash ? of->name : ".", slash ? (size_t)(slash - of->name) + 1 : 1);
        str_format(&codelets, "%s/poplar/codelets", include.text);
        str_format(&bare, "%s/poplar", include.text);
        source.directory = directory.text;
        source.include = include.text;
        source.codelets = codelets.text;
        source.bare = bare.text;
        status = compile_source(&source, module, messages, error);
        str_free(&bare);
        str_free(&codelets);
        str_free(&directory);
    }
    str_free(&include);
    return status;
}

static void log_lines(struct str *lines)
{
    for (const char *at = str_text(lines); *at; at += strcspn(at, "\n") + 1)
        LOG(CODELETS, WARN, "%.*s", (int)strcspn(at, "\n"), at);
    str_free(lines);
}

static void keep_source(struct module *module, const struct popc_source *source, const char *flags)
{
    struct arena *arena = &module->arena;
    module->source = arena_alloc(arena, sizeof(*module->source));
    char *copy = arena_alloc(arena, source->size + 1);
    memcpy(copy, source->text, source->size);
    copy[source->size] = 0;
    *module->source = (struct module_source){ source->language, arena_string(arena, source->name), copy,
                                              arena_string(arena, flags ? flags : ""), source->size };
}

pop_status module_load_code(struct module *module, const char *path, pop_error *error)
{
    struct module *from;
    pop_status status = module_load(path, &from, error);
    if (status != POP_OK)
        return status;
    module_take_code(module, from);
    module_release(from);
    return POP_OK;
}

static pop_status compile_named(enum popc_language language, const char *name, const char *text, const char *flags,
                                struct module **module, struct str *messages, pop_error *error)
{
    enum popc_kind kind = kind_of(name);
    if (language == POPC_BY_NAME)
        language = kind == KIND_CPP ? POPC_CPP : kind == KIND_ASSEMBLY ? POPC_ASSEMBLY : POPC_C;
    struct popc_flags parsed;
    pop_status status = flags_parse(&parsed, flags, error);
    if (status != POP_OK)
        return status;
    unsigned later = parsed.later ? parsed.devices : 0;
    parsed.devices &= ~later;
    if (language == POPC_ASSEMBLY || parsed.behaving)
        parsed.ahead = 0;
    for (size_t i = 0; i < parsed.ignored.count; ++i)
        str_format(messages, "popc: flag '%s' has no effect here\n", parsed.ignored.data[i]);
    if (parsed.tile && language == POPC_C)
        str_format(messages, "popc: flag '" TILE_FLAG "' has no effect on '%s', which is C\n", name);
    char *read = NULL;
    size_t size = text ? strlen(text) : 0;
    if (!text)
        status = file_read(name, &read, &size, error);
    struct popc_source source = {
        .language = language, .name = name, .text = text ? text : read, .size = size, .flags = &parsed
    };
    if (size >= 3 && memcmp(source.text, "\xEF\xBB\xBF", 3) == 0) { /* a byte order mark, which compilers skip, too */
        source.text += 3;
        source.size -= 3;
    }
    if (status == POP_OK)
        status = compile_text(&source, module, messages, error);
    if (status == POP_OK) {
        keep_source(*module, &source, flags);
        (*module)->later = later;
        if (parsed.code_of)
            status = module_load_code(*module, parsed.code_of, error);
        if (status != POP_OK) {
            module_release(*module);
            *module = NULL;
        }
    }
    free(read);
    flags_free(&parsed);
    return status;
}

/* Compiles the code for one architecture of a module that this process compiled. */
static pop_status compile_again(const struct module *module, enum device_arch arch, bool counted, struct module **made,
                                struct str *messages, pop_error *error)
{
    const struct module_source *source = module->source;
    struct popc_flags flags;
    *made = NULL;
    pop_status status = flags_parse(&flags, source->flags, error);
    if (status != POP_OK)
        return status;
    flags.devices = counted ? 0 : 1u << arch;
    flags.counted = counted ? (unsigned)arch + 1 : 0;
    flags.measured = !counted;
    const struct popc_source again = { .language = source->language,
                                       .name = source->name,
                                       .text = source->text,
                                       .size = source->size,
                                       .flags = &flags,
                                       .of = module };
    status = compile_text(&again, made, messages, error);
    flags_free(&flags);
    return status;
}

static void copy_codes(struct module *to, const struct module *from, enum device_arch arch)
{
    struct device_code *codes = arena_alloc(&to->arena, to->codelet_count * sizeof(*codes));
    for (uint32_t i = 0; i < to->codelet_count; ++i) {
        codes[i] = from->devices[arch][i];
        codes[i].reason = arena_string(&to->arena, codes[i].reason);
    }
    to->devices[arch] = codes;
    for (uint32_t i = 0; i < to->object_count && i < from->object_count; ++i) {
        const struct module_code *code = from->objects[i].measured + arch;
        if (code->size)
            to->objects[i].measured[arch] =
                (struct module_code){ memcpy(arena_alloc(&to->arena, code->size), code->data, code->size), code->size };
    }
}

void popc_measure(struct module *module, enum device_arch arch)
{
    struct module *made;
    struct str text = { 0 };
    pop_error error = { 0 };
    pop_status status = compile_again(module, arch, false, &made, &text, &error);
    str_free(&text);
    if (status == POP_OK && made->codelet_count == module->codelet_count && made->devices[arch]) {
        copy_codes(module, made, arch);
        if (!module_shares(module)) /* else popc_measure_together does */
            device_code_list(module, 1u << arch, &text);
    } else {
        str_format(&text, "%s: code sizes on %s are estimated: %s\n", module->name, device_arch_names[arch],
                   error.text);
    }
    log_lines(&text);
    module_release(made);
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
static pthread_mutex_t measuring = PTHREAD_MUTEX_INITIALIZER;

static const struct device_code *codes_of(struct module *module, enum device_arch arch)
{
    pthread_mutex_lock(&measuring);
    if (module->later >> arch & 1)
        popc_measure(module, arch);
    module->later &= ~(1u << arch);
    pthread_mutex_unlock(&measuring);
    return module->devices[arch];
}

void popc_measure_together(struct module *const *modules, size_t count, const pop_target *target)
{
    enum device_arch arch = device_arch_of(target);
    struct str lines = { 0 };
    bool *fresh = mem_zero(count, sizeof(*fresh)), any = false;
    for (size_t m = 0; m < count && arch != DEVICE_ARCHS; ++m) {
        bool later = modules[m]->later >> arch & 1;
        fresh[m] = module_shares(modules[m]) && codes_of(modules[m], arch) && later;
        any |= module_shares(modules[m]);
    }
    pthread_mutex_lock(&measuring);
    if (any)
        device_measure_together(modules, count, arch);
    for (size_t m = 0; m < count; ++m)
        if (fresh[m])
            device_code_list(modules[m], 1u << arch, &lines);
    pthread_mutex_unlock(&measuring);
    log_lines(&lines);
    free(fresh);
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

char *popc_counted_object(const struct module *module, uint32_t object, enum device_arch arch, size_t *bytes, char *why,
                          size_t size)
{
    struct module *made = NULL;
    struct str messages = { 0 };
    pop_error error = { 0 };
    char *copy = NULL;
    if (object < module->object_count && module->objects[object].counted) {
        *bytes = module->objects[object].counted_size;
        return mem_copy(module->objects[object].counted, *bytes);
    }
    if (!module->source || object) {
        snprintf(why, size, "it comes from a .gp file that was made without --target");
        return NULL;
    }
    pop_status status = compile_again(module, arch, true, &made, &messages, &error);
    if (status == POP_OK && made->object_count == 1) {
        *bytes = made->objects->size;
        copy = mem_copy(made->objects->data, *bytes);
    } else {
        snprintf(why, size, "%s", error.text);
    }
    module_release(made);
    str_free(&messages);
    return copy;
}

pop_status module_load(const char *path, struct module **module, pop_error *error)
{
    char *data;
    size_t size;
    pop_status status = file_read(path, &data, &size, error);
    if (status != POP_OK)
        return status;
    status = module_read(path, data, size, module, error);
    free(data);
    return status;
}

void popc_list_estimates(const struct module *module, const char *flags, struct str *lines)
{
    struct popc_flags parsed;
    if (flags_parse(&parsed, flags, NULL) != POP_OK)
        return;
    device_code_list(module, parsed.devices, lines);
    flags_free(&parsed);
}

static void log_estimates(const struct module *module, const char *flags)
{
    struct str lines = { 0 };
    if (log_on(LOG_CODELETS, LOG_WARN) && !module->later)
        popc_list_estimates(module, flags, &lines);
    log_lines(&lines);
}

pop_status popc_load_any(const char *path, const char *flags, struct module **module, struct str *messages,
                         pop_error *error)
{
    enum popc_kind kind = kind_of(path);
    if (kind == KIND_CODELETS)
        return module_load(path, module, error);
    if (kind == KIND_C || kind == KIND_CPP || kind == KIND_ASSEMBLY)
        return compile_named(POPC_BY_NAME, path, NULL, flags, module, messages, error);
    return refuse_kind(path, error);
}

/* Logs warnings; errors are in the error already. */
static void log_messages(const char *name, pop_status status, struct str *messages)
{
    if (status == POP_OK && messages->length)
        LOG(CODELETS, WARN, "the compiler's messages about '%s':\n%s", name, messages->text);
    str_free(messages);
}

pop_status popc_compile_as(enum popc_language language, const char *name, const char *text, const char *flags,
                           struct module **module, pop_error *error)
{
    struct str messages = { 0 };
    *module = NULL;
    pop_status status = compile_named(language, name ? name : "codelets.c", text, flags, module, &messages, error);
    log_messages(name ? name : "codelets.c", status, &messages);
    if (status == POP_OK)
        log_estimates(*module, flags);
    return status;
}

pop_status popc_compile(const char *name, const char *text, const char *flags, struct module **module, pop_error *error)
{
    return popc_compile_as(POPC_BY_NAME, name, text, flags, module, error);
}

pop_status popc_load(const char *path, const char *flags, struct module **module, pop_error *error)
{
    struct str messages = { 0 };
    *module = NULL;
    pop_status status = popc_load_any(path, flags, module, &messages, error);
    log_messages(path, status, &messages);
    if (status == POP_OK)
        log_estimates(*module, flags);
    return status;
}
