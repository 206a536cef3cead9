/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the contents of a .gp file: vertex types, their fields and constraints, and the size of their code. */
#include <poplar/popc.h>

#include "base/error.h"
#include "popc/module/device_code.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"
#include "popc/popc.h"
#include "popc/tile_vertex.h"

static const char *const kinds[] = { "Vertex", "SupervisorVertex", "MultiVertex" };
static const char *const directions[] = { "", "Input", "Output", "InOut" };
static const char *const layouts[] = { "SPAN",         "SHORT_SPAN",    "ONE_PTR",    "SCALED_PTR32",
                                       "SCALED_PTR64", "SCALED_PTR128", "COMPACT_PTR" };
static const char *const list_layouts[] = { "DELTAN", "DELTANELEMENTS", "COMPACT_DELTAN" };

/* Prints Vector<TYPE, LAYOUT>; the default layout SPAN is omitted, as in programs. */
static void print_vector(FILE *file, const char *type, unsigned layout)
{
    if (layout == LAYOUT_SPAN)
        fprintf(file, "Vector<%s>", type);
    else
        fprintf(file, "Vector<%s, %s>", type, layouts[layout]);
}

static void print_field(FILE *file, const struct codelet_field *field)
{
    const char *type = pop_type_name((pop_type)field->type);
    const char *direction = directions[field->direction], *open = *direction ? "<" : "", *close = *direction ? ">" : "";
    fprintf(file, "  %s: ", field->name);
    switch ((enum field_shape)field->shape) {
    case SHAPE_SCALAR:
        fprintf(file, "%s%s%s%s", direction, open, type, close);
        break;
    case SHAPE_VECTOR:
        fprintf(file, "%s%s", direction, open);
        print_vector(file, type, field->layout);
        fputs(close, file);
        break;
    case SHAPE_VECTORS:
        fprintf(file, "Vector<%s%s", direction, open);
        print_vector(file, type, field->inner_layout);
        fprintf(file, "%s, %s>", close, layouts[field->layout]);
        break;
    case SHAPE_VECTOR_LIST:
        fprintf(file, "%s<VectorList<%s, %s>>", direction, type, list_layouts[field->inner_layout]);
        break;
    case SHAPE_SCALARS:
        fprintf(file, "Vector<%s<%s>, %s>", direction, type, layouts[field->layout]);
        break;
    }
    if (*direction)
        fprintf(file, ", aligned to %u", field->alignment);
    fprintf(file, "%s\n", field->interleaved ? ", interleaved" : "");
}

static void print_code(FILE *file, unsigned arch, const struct device_code *code)
{
    fprintf(file, "  code on %s: %u bytes", device_arch_names[arch], code->bytes);
    if (code->shared_bytes || code->data_bytes)
        fprintf(file, ", shared functions %u, shared data %u", code->shared_bytes, code->data_bytes);
    if (code->stack_measured)
        fprintf(file, ", stack %u", code->stack_bytes);
    fputs(code->estimated ? " (estimated)\n" : "\n", file);
}

static void print_assembly(FILE *file, struct module *module, const struct codelet *codelet)
{
    bool any = false;
    for (unsigned arch = 0; arch < DEVICE_ARCHS; ++arch) {
        struct device_code code;
        const struct module *in;
        if (!tile_vertex_code(codelet, &module, 1, (enum device_arch)arch, &code, &in))
            continue;
        print_code(file, arch, &code);
        any = true;
    }
    struct str label = { 0 };
    tile_vertex_label(codelet->name, &label);
    if (!any)
        fprintf(file, "  code: not in this file ('%s')\n", str_text(&label));
    str_free(&label);
}

static void print_codelet(FILE *file, struct module *module, const struct codelet *codelet)
{
    fprintf(file, "%s (%s%s)\n", codelet->name, kinds[codelet->kind], codelet->external ? ", in assembly" : "");
    for (uint32_t i = 0; i < codelet->field_count; ++i)
        print_field(file, codelet->fields + i);
    for (uint32_t i = 0; i < codelet->constraint_count; ++i)
        fprintf(file, "  constraint: %s\n", codelet->constraints[i]);
    if (codelet->external)
        print_assembly(file, module, codelet);
    for (unsigned arch = 0; arch < DEVICE_ARCHS && !codelet->external; ++arch)
        if (module->devices[arch])
            print_code(file, arch, module->devices[arch] + (codelet - module->codelets));
}

pop_status popc_list_file(const char *path, FILE *file, pop_error *error)
{
    static const char api[] = "popc_list_file";
    if (!path || !file)
        return error_set(error, POP_RUNTIME_ERROR, NO_WHERE, api, "the %s to list is NULL", path ? "stream" : "file");
    struct module *module;
    pop_status status = module_load(path, &module, error);
    if (status != POP_OK)
        return error_rename(error, status, "", api);
    fprintf(file, "%s: %u vertex types, %s\n", path, module->codelet_count, machine_level_name(module->level));
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        print_codelet(file, module, module->codelets + i);
    struct str assembly = { 0 };
    assembly_list(module, &assembly);
    fputs(str_text(&assembly), file);
    str_free(&assembly);
    module_release(module);
    return POP_OK;
}
