/* SPDX-License-Identifier: Apache-2.0 */
/* What the popc command does: sources and .gp files become one .gp file. */
#include "popc/compile/flags.h"
#include "popc/device/device.h"
#include "popc/module/resolve.h"
#include "popc/popc.h"

#include "base/error.h"
#include "base/file.h"

#include <poplar/popc.h>
#include <stdio.h>
#include <sys/stat.h>

static pop_status write_module(const struct module *module, const char *output, pop_error *error)
{
    char *data;
    size_t size;
    pop_status status = module_write(module, &data, &size, error);
    if (status != POP_OK)
        return status;
    status = file_write(output, data, size, error);
    free(data);
    return status;
}

/* Whether two names refer to one file; follows links. */
static bool same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && S_ISREG(first.st_mode) && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

/* Adds an object that counts cycles on the first of the devices. */
static void keep_counted(struct module *module, unsigned devices)
{
    char why[120];
    size_t bytes;
    int arch = 0;
    while (arch < DEVICE_ARCHS && !(devices >> arch & 1))
        ++arch;
    char *object = arch < DEVICE_ARCHS && module->source
                       ? popc_counted_object(module, 0, (enum device_arch)arch, &bytes, why, sizeof(why))
                       : NULL;
    if (!object)
        return; /* the reason is in the list of estimated sizes */
    module->objects[0].counted = memcpy(arena_alloc(&module->arena, bytes), object, bytes);
    module->objects[0].counted_size = bytes;
    free(object);
}

/* What one file of a .gp uses of another, only one defines. */
static pop_status check_shared(struct module *module, pop_error *error)
{
    struct shared_symbols shared;
    struct object_list list = { .v = { 0 } };
    shared_symbols_read(&shared, &module, 1);
    for (uint32_t i = 0; i < module->object_count; ++i)
        object_list_add(&list, module, i);
    pop_status status = shared_symbols_check(&shared, &list, error);
    vec_free(&list.v);
    shared_symbols_free(&shared);
    return status;
}

/* The flags, and with an assembly source among the inputs that C++ may call its functions; malloc'ed. */
static char *flags_for(const char *const *inputs, size_t count, const char *flags)
{
    struct str text = { 0 };
    bool assembly = false;
    for (size_t i = 0; i < count; ++i)
        assembly |= popc_is_assembly(inputs[i]);
    str_add(&text, flags ? flags : "");
    str_add(&text, assembly ? " " CALLS_FLAG : "");
    return text.text;
}

pop_status popc_compile_files(const char *const *inputs, size_t count, const char *flags, const char *output,
                              bool verbose, pop_error *error)
{
    static const char api[] = "popc_compile_files";
    if (!count || !output)
        return error_set(error, POP_INVALID_OPTION, NO_WHERE, api, "popc: %s",
                         count ? "no output file was named" : "no input file was named");
    for (size_t i = 0; i < count; ++i)
        if (same_file(inputs[i], output))
            return error_set(error, POP_INVALID_OPTION, NO_WHERE, api,
                             "popc: the output '%s' is the input '%s', which would be lost", output, inputs[i]);
    size_t failures = mem_failures();
    struct module **modules = mem_zero(count, sizeof(*modules)), *merged = NULL;
    struct str messages = { 0 };
    struct popc_flags parsed;
    char *own = flags_for(inputs, count, flags);
    pop_status status = flags_parse(&parsed, own, error); /* checks the flags even when all inputs are .gp files */
    unsigned devices = status == POP_OK && !parsed.sizes ? parsed.devices : 0;
    for (size_t i = 0; i < count && status == POP_OK; ++i) {
        status = popc_load_any(inputs[i], own, modules + i, &messages, error);
        if (status == POP_OK)
            keep_counted(modules[i], devices);
    }
    for (int arch = 0; status == POP_OK && arch < DEVICE_ARCHS; ++arch)
        device_measure_together(modules, count, (enum device_arch)arch);
    for (size_t i = 0; i < count && status == POP_OK; ++i)
        popc_list_estimates(modules[i], flags, &messages);
    if (status == POP_OK)
        status = module_merge(modules, count, output, &merged, error);
    if (status == POP_OK)
        status = check_shared(merged, error);
    if (status == POP_OK && parsed.code_of)
        status = module_load_code(merged, parsed.code_of, error);
    if (status == POP_OK)
        status = write_module(merged, output, error);
    if (verbose && messages.length)
        fputs(messages.text, stderr);
    for (size_t i = 0; i < count; ++i)
        module_release(modules[i]);
    module_release(merged);
    free(modules);
    str_free(&messages);
    flags_free(&parsed);
    free(own);
    status = error_rename(error, status, "", api);
    return error_if_memory_failed(error, status, failures, api);
}
