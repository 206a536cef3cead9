/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the vertex types of C: a typedef pop_KIND_vertex__NAME (made by vertex.h) declares that struct NAME is a
 * vertex, and a function NAME_compute makes it a codelet. Constraints, and names that C cannot spell, are pairs of
 * strings in their own sections. */
#include "popc/reflect/reflect.h"
#include "popc/reflect/reflect_cpp.h"

#include "base/error.h"

#include "popc/module/debuginfo.h"
#include <stdarg.h>
#include <stdio.h>

static const char *const prefixes[] = { [VERTEX_WORKER] = "pop_worker_vertex__",
                                        [VERTEX_SUPERVISOR] = "pop_supervisor_vertex__",
                                        [VERTEX_MULTI] = "pop_multi_vertex__" };

/* Debug information has absolute paths; errors show the path as written in the program. */
static bool ends_with(const char *path, const char *name)
{
    size_t length = strlen(name), whole = strlen(path);
    return whole >= length && strcmp(path + whole - length, name) == 0;
}

pop_status reflect_refuse(struct reflection *r, Dwarf_Die *at, const char *format, ...)
{
    struct str text = { 0 };
    int line = 0;
    const char *file = at ? dwarf_decl_file(at) : NULL;
    if (file && dwarf_decl_line(at, &line) == 0)
        str_format(&text, "%s:%d: ", ends_with(file, r->source) ? r->source : file, line);
    else
        str_format(&text, "%s: ", r->source);
    va_list arguments;
    va_start(arguments, format);
    str_vformat(&text, format, arguments);
    va_end(arguments);
    error_set(r->error, POP_GRAPH_PROGRAM_COMPILATION_ERROR, NO_WHERE, NULL, "%s", text.text);
    str_free(&text);
    return POP_GRAPH_PROGRAM_COMPILATION_ERROR;
}

/* The vertex's name when the DIE is such a typedef, else NULL. */
static const char *vertex_name(Dwarf_Die *die, enum vertex_kind *kind)
{
    const char *name = dwarf_tag(die) == DW_TAG_typedef ? dwarf_diename(die) : NULL;
    for (int i = VERTEX_WORKER; name && i <= VERTEX_MULTI; ++i)
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            *kind = (enum vertex_kind)i;
            return name + strlen(prefixes[i]);
        }
    return NULL;
}

static bool is_function_of(Dwarf_Die *die, const char *vertex)
{
    const char *name = dwarf_tag(die) == DW_TAG_subprogram ? dwarf_diename(die) : NULL;
    size_t length = strlen(vertex);
    return name && strncmp(name, vertex, length) == 0 && strcmp(name + length, "_compute") == 0 &&
           dwarf_hasattr(die, DW_AT_low_pc);
}

static bool find_compute(Dwarf_Die *unit, const char *vertex, Dwarf_Die *function)
{
    if (dwarf_child(unit, function) != 0)
        return false;
    do {
        if (is_function_of(function, vertex))
            return true;
    } while (dwarf_siblingof(function, function) == 0);
    return false;
}

/* Checks the parameters of compute: a pointer to the vertex and, for a MultiVertex, the worker. */
static bool right_parameters(Dwarf_Die *function, const Dwarf_Die *vertex, bool multi)
{
    Dwarf_Die parameter, type, target;
    unsigned count = 0;
    for (int end = dwarf_child(function, &parameter); end == 0; end = dwarf_siblingof(&parameter, &parameter)) {
        if (dwarf_tag(&parameter) != DW_TAG_formal_parameter)
            continue;
        if (!type_of(&parameter, &type))
            return false;
        bool good = count == 0 ? type_pointee(&type, &target) &&
                                     dwarf_dieoffset(&target) == dwarf_dieoffset((Dwarf_Die *)(uintptr_t)vertex)
                               : pop_type_is_integral(type_scalar(&type));
        if (!good)
            return false;
        ++count;
    }
    return count == (multi ? 2u : 1u);
}

static pop_status check_compute(struct reflection *r, Dwarf_Die *function, const Dwarf_Die *type,
                                struct reflected *vertex)
{
    const char *name = vertex->codelet.name;
    bool multi = vertex->codelet.kind == VERTEX_MULTI;
    Dwarf_Die returned;
    vertex->returns_bool = type_of(function, &returned);
    if (vertex->returns_bool && type_scalar(&returned) != POP_BOOL) {
        struct str spelled = { 0 };
        type_spell(&returned, &spelled);
        pop_status status = reflect_refuse(r, function, "%s_compute returns '%s', it can return bool or void", name,
                                           str_text(&spelled));
        str_free(&spelled);
        return status;
    }
    if (!right_parameters(function, type, multi))
        return reflect_refuse(r, function, "%s_compute has to take (%s *v%s)", name, name,
                              multi ? ", unsigned worker" : "");
    return POP_OK;
}

/* The largest alignment that a part of the struct requires. */
static uint32_t alignment_of(Dwarf_Die *type)
{
    uint64_t alignment = die_number(type, DW_AT_alignment, 1);
    Dwarf_Die member, of, bare;
    for (int end = dwarf_child(type, &member); end == 0; end = dwarf_siblingof(&member, &member)) {
        if (dwarf_tag(&member) != DW_TAG_member || !type_of(&member, &of))
            continue;
        bare = of;
        uint64_t min = die_number(&member, DW_AT_alignment, 1), natural = 1;
        Dwarf_Word bytes;
        if (type_strip(&bare) && dwarf_tag(&bare) == DW_TAG_structure_type)
            natural = sizeof(void *); /* vectors: pointers and sizes */
        else if (dwarf_tag(&bare) != DW_TAG_array_type && dwarf_aggregate_size(&of, &bytes) == 0)
            natural = bytes;
        min = natural > min ? natural : min;
        alignment = min > alignment ? min : alignment;
    }
    return (uint32_t)alignment;
}

static pop_status read_vertex(struct reflection *r, Dwarf_Die *mark, Dwarf_Die *function, struct reflected *vertex)
{
    Dwarf_Die type;
    struct codelet *codelet = &vertex->codelet;
    if (!type_of(mark, &type) || !type_strip(&type) || dwarf_tag(&type) != DW_TAG_structure_type ||
        !dwarf_haschildren(&type))
        return dwarf_hasattr(&type, DW_AT_byte_size)
                   ? POP_OK
                   : reflect_refuse(r, mark, "vertex '%s' has no body", codelet->name);
    pop_status status = check_compute(r, function, &type, vertex);
    if (status == POP_OK)
        status = reflect_fields(r, &type, codelet);
    codelet->state_bytes = (uint32_t)die_number(&type, DW_AT_byte_size, 0);
    codelet->state_alignment = alignment_of(&type);
    return status;
}

static pop_status read_unit(struct reflection *r, Dwarf_Die *unit, const char **without)
{
    Dwarf_Die die, function;
    pop_status status = POP_OK;
    for (int end = dwarf_child(unit, &die); end == 0 && status == POP_OK; end = dwarf_siblingof(&die, &die)) {
        enum vertex_kind kind;
        const char *name = vertex_name(&die, &kind);
        if (!name)
            continue;
        if (!find_compute(unit, name, &function)) {
            *without = *without ? *without : arena_string(r->arena, name);
            continue;
        }
        struct reflected *vertex = vec_push(&r->vertices);
        *vertex = (struct reflected){ .codelet = { .name = arena_string(r->arena, name), .kind = (uint8_t)kind } };
        vertex->spelled = vertex->codelet.name;
        status = read_vertex(r, &die, &function, vertex);
        if (!vertex->codelet.state_bytes)
            vertex->codelet.state_bytes = 1; /* not 0: states need distinct addresses */
        if (!vertex->codelet.state_alignment)
            vertex->codelet.state_alignment = 1;
        void *defaults = arena_alloc(r->arena, vertex->codelet.state_bytes);
        vertex->codelet.defaults = memset(defaults, 0, vertex->codelet.state_bytes);
    }
    return status;
}

/* ---- pairs of a vertex and a text: constraints, names ---- */

/* The contents of a section of pairs. */
static Elf_Data *pair_data(Elf *elf, const char *section_name)
{
    size_t names;
    if (elf_getshdrstrndx(elf, &names) != 0)
        return NULL;
    for (Elf_Scn *section = elf_nextscn(elf, NULL); section; section = elf_nextscn(elf, section)) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && strcmp(name, section_name) == 0)
            return elf_getdata(section, NULL);
    }
    return NULL;
}

/* Checks that each *name or **name of a constraint is a field. */
static pop_status check_constraint(struct reflection *r, const struct codelet *codelet, const char *text)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (const char *star = strchr(text, '*'); star; star = strchr(star, '*')) {
        star += strspn(star, "* ");
        size_t length = strspn(star, letters);
        char name[128];
        snprintf(name, sizeof(name), "%.*s", (int)length, star);
        if (!codelet_find_field(codelet, name))
            return reflect_refuse(r, NULL,
                                  "constraint \"%s\" of vertex '%s' names '%s', which is not one of its fields", text,
                                  codelet->name, name);
    }
    if (strncmp(text, "elem(", 5) != 0 && strncmp(text, "region(", 7) != 0)
        return reflect_refuse(r, NULL, "constraint \"%s\" of vertex '%s' is not of the form \"elem(*a) != elem(*b)\"",
                              text, codelet->name);
    return POP_OK;
}

static struct codelet *find_vertex(struct reflection *r, const char *tag)
{
    for (size_t i = 0; i < r->vertices.count; ++i)
        if (strcmp(r->vertices.data[i].spelled, tag) == 0)
            return &r->vertices.data[i].codelet;
    return NULL;
}

static pop_status add_constraint(struct reflection *r, const char *vertex, const char *text)
{
    struct codelet *codelet = find_vertex(r, vertex);
    if (!codelet)
        return reflect_refuse(r, NULL, "constraint \"%s\" is for '%s', which is not a vertex with a compute function",
                              text, vertex);
    pop_status status = check_constraint(r, codelet, text);
    if (status != POP_OK)
        return status;
    const char **grown = arena_alloc(r->arena, (codelet->constraint_count + 1) * sizeof(*grown));
    if (codelet->constraint_count)
        memcpy(grown, codelet->constraints, codelet->constraint_count * sizeof(*grown));
    grown[codelet->constraint_count++] = arena_string(r->arena, text);
    codelet->constraints = grown;
    return POP_OK;
}

static pop_status add_name(struct reflection *r, const char *vertex, const char *text)
{
    struct codelet *codelet = find_vertex(r, vertex);
    if (!codelet)
        return reflect_refuse(r, NULL, "name \"%s\" is for '%s', which is not a vertex with a compute function", text,
                              vertex);
    for (size_t i = 0; i < r->vertices.count; ++i)
        if (strcmp(r->vertices.data[i].codelet.name, text) == 0)
            return reflect_refuse(r, NULL, "two vertices are named '%s'", text);
    if (!*text)
        return reflect_refuse(r, NULL, "the name of vertex '%s' is empty", vertex);
    codelet->name = arena_string(r->arena, text);
    return POP_OK;
}

static pop_status read_pairs(struct reflection *r, Elf *elf, const char *section_name,
                             pop_status (*add)(struct reflection *r, const char *vertex, const char *text))
{
    const Elf_Data *data = pair_data(elf, section_name);
    if (!data)
        return POP_OK;
    const char *at = data->d_buf, *end = at + data->d_size;
    pop_status status = POP_OK;
    while (at && at < end && status == POP_OK) {
        const char *vertex = at, *stop = memchr(at, 0, (size_t)(end - at));
        const char *text = stop ? stop + 1 : end;
        const char *last = text < end ? memchr(text, 0, (size_t)(end - text)) : NULL;
        if (!last)
            break;
        status = add(r, vertex, text);
        at = last + 1;
    }
    return status;
}

/* ---- the object ---- */

static pop_status read_units(struct reflection *r, Dwarf *dwarf)
{
    const char *without = NULL;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    pop_status status = POP_OK;
    while (status == POP_OK && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0)
        status = read_unit(r, &die, &without);
    if (status != POP_OK || r->vertices.count || (!without && r->exports))
        return status;
    if (without)
        return reflect_refuse(r, NULL,
                              "vertex '%s' has no function %s_compute(%s *v), and there is no other vertex (a static "
                              "inline one is not seen)",
                              without, without, without);
    return reflect_refuse(r, NULL,
                          "no vertex in it: declare POP_VERTEX(Name) { ... }; and define bool Name_compute(Name *v)%s",
                          REFLECT_NOTHING);
}

pop_status reflect_object(struct reflection *r, const void *object, size_t size)
{
    if (debuginfo_missing())
        return reflect_refuse(r, NULL,
                              "codelets cannot be read without elfutils (Debian's packages libdw1 and libelf1): %s",
                              debuginfo_missing());
    Elf *elf = debuginfo_open(object, size);
    Dwarf *dwarf = elf ? dwarf_begin_elf(elf, DWARF_C_READ, NULL) : NULL;
    bool cpp = r->language == POPC_CPP;
    reflect_shared(r, object, size);
    pop_status status = dwarf ? (cpp ? reflect_cpp : read_units)(r, dwarf)
                              : reflect_refuse(r, NULL,
                                               cpp ? "no vertex in it, or no debug information: if there is one, is "
                                                     "TREMULA_CXX a C++ compiler like g++?"
                                                   : "no vertex in it, or no debug information: if there is one, is "
                                                     "TREMULA_CC a C compiler like gcc?");
    if (status == POP_OK && !cpp)
        status = read_pairs(r, elf, "pop_constraints", add_constraint);
    if (status == POP_OK && !cpp)
        status = read_pairs(r, elf, "pop_names", add_name);
    if (dwarf)
        dwarf_end(dwarf);
    debuginfo_close(elf);
    return status;
}
