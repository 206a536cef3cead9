/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the vertex types of C++: classes that derive from poplar's vertex classes and have a compute, their own or a
 * base's. Template instances count when their compute is in the object, as an explicit instantiation ensures. */
#include "popc/reflect/reflect_cpp.h"
#include "popc/reflect/reflect.h"
#include "popc/reflect/reflect_cpp_names.h"

#include "base/log.h"

#include "popc/module/debuginfo.h"

static const char *const kinds[] = {
    [VERTEX_WORKER] = "Vertex", [VERTEX_SUPERVISOR] = "SupervisorVertex", [VERTEX_MULTI] = "MultiVertex"
};

/* Returns the base class of type after *part; *part is zero before the first. */
static bool next_base(const struct cpp_names *names, Dwarf_Die *type, Dwarf_Die *part, bool *begun, Dwarf_Die *base)
{
    for (;;) {
        int end = *begun ? dwarf_siblingof(part, part) : dwarf_child(type, part);
        *begun = true;
        if (end != 0)
            return false;
        if (dwarf_tag(part) == DW_TAG_inheritance && type_of(part, base) && cpp_strip(names, base))
            return true;
    }
}

static bool find_kind(const struct cpp_names *names, Dwarf_Die *type, uint8_t *kind)
{
    Dwarf_Die part, base;
    for (bool begun = false; next_base(names, type, &part, &begun, &base);) {
        for (int i = VERTEX_WORKER; i <= VERTEX_MULTI; ++i)
            if (cpp_is_poplar(names, &base, kinds[i])) {
                *kind = (uint8_t)i;
                return true;
            }
        if (find_kind(names, &base, kind))
            return true;
    }
    return false;
}

/* The number of parameters except the object itself, and the type of the last. */
static unsigned count_parameters(Dwarf_Die *function, Dwarf_Die *last)
{
    Dwarf_Die parameter;
    unsigned count = 0;
    for (int end = dwarf_child(function, &parameter); end == 0; end = dwarf_siblingof(&parameter, &parameter))
        if (dwarf_tag(&parameter) == DW_TAG_formal_parameter && !dwarf_hasattr(&parameter, DW_AT_artificial) &&
            type_of(&parameter, last))
            ++count;
    return count;
}

static bool right_parameters(Dwarf_Die *function, bool multi)
{
    Dwarf_Die type;
    unsigned count = count_parameters(function, &type);
    return multi ? count == 1 && pop_type_is_integral(type_scalar(&type)) : count == 0;
}

/* Finds the compute that a call selects among overloads. */
static bool find_compute(const struct cpp_names *names, Dwarf_Die *type, bool multi, Dwarf_Die *function)
{
    Dwarf_Die part, base;
    bool found = false;
    for (int end = dwarf_child(type, &part); end == 0; end = dwarf_siblingof(&part, &part)) {
        const char *name = dwarf_tag(&part) == DW_TAG_subprogram ? dwarf_diename(&part) : NULL;
        if (!name || strcmp(name, "compute") != 0 || (found && !right_parameters(&part, multi)))
            continue;
        *function = part;
        found = true;
    }
    for (bool begun = false; !found && next_base(names, type, &part, &begun, &base);)
        found = find_compute(names, &base, multi, function);
    return found;
}

static bool is_member_of(Dwarf_Die *function, Dwarf_Die *type)
{
    Dwarf_Die part;
    for (int end = dwarf_child(type, &part); end == 0; end = dwarf_siblingof(&part, &part))
        if (dwarf_dieoffset(&part) == dwarf_dieoffset(function))
            return true;
    return false;
}

/* static const bool isExternalCodelet = true, of the class or a base: its code on a tile is in assembly. */
static bool is_external(const struct cpp_names *names, Dwarf_Die *type)
{
    Dwarf_Die part, base;
    for (int end = dwarf_child(type, &part); end == 0; end = dwarf_siblingof(&part, &part)) {
        int tag = dwarf_tag(&part);
        const char *name = tag == DW_TAG_member || tag == DW_TAG_variable ? dwarf_diename(&part) : NULL;
        if (name && strcmp(name, "isExternalCodelet") == 0)
            return die_number(&part, DW_AT_const_value, 0) != 0;
    }
    for (bool begun = false; next_base(names, type, &part, &begun, &base);)
        if (is_external(names, &base))
            return true;
    return false;
}

static pop_status check_compute(struct reflection *r, const struct cpp_names *names, Dwarf_Die *function,
                                struct reflected *vertex)
{
    const char *name = vertex->codelet.name;
    bool multi = vertex->codelet.kind == VERTEX_MULTI;
    Dwarf_Die returned;
    vertex->returns_bool = type_of(function, &returned);
    if (vertex->returns_bool && type_scalar(&returned) != POP_BOOL) {
        struct str spelled = { 0 };
        cpp_spell(names, &returned, CPP_FOR_USERS, &spelled);
        pop_status status = reflect_refuse(r, function, "compute() of '%s' returns '%s', it can return bool or void",
                                           name, str_text(&spelled));
        str_free(&spelled);
        return status;
    }
    if (!right_parameters(function, multi))
        return reflect_refuse(r, function,
                              multi ? "compute of '%s', a MultiVertex, has to take (unsigned worker)"
                                    : "compute of '%s' has to take no parameters",
                              name);
    return POP_OK;
}

static pop_status read_vertex(struct reflection *r, const struct cpp_names *names, Dwarf_Die *type, Dwarf_Die *function,
                              uint8_t kind)
{
    struct str name = { 0 }, spelled = { 0 };
    cpp_spell(names, type, CPP_FOR_USERS, &name);
    bool can_be_spelled = cpp_spell(names, type, CPP_FOR_COMPILERS, &spelled);
    struct reflected *vertex = vec_push(&r->vertices);
    struct codelet *codelet = &vertex->codelet;
    *vertex = (struct reflected){ .codelet = { .name = arena_string(r->arena, name.text), .kind = kind },
                                  .spelled = arena_string(r->arena, spelled.text) };
    str_free(&name);
    str_free(&spelled);
    if (!can_be_spelled)
        return reflect_refuse(
            r, type,
            "vertex type '%s' has a template argument that popc cannot spell: use types, numbers and enumerators",
            codelet->name);
    for (size_t i = 0; i + 1 < r->vertices.count; ++i)
        if (strcmp(r->vertices.data[i].codelet.name, codelet->name) == 0)
            return reflect_refuse(r, type, "there are two vertex types '%s'", codelet->name);
    pop_status status = check_compute(r, names, function, vertex);
    if (status == POP_OK)
        status = cpp_reflect_fields(r, names, type, codelet);
    codelet->external = is_external(names, type);
    codelet->state_bytes = (uint32_t)die_number(type, DW_AT_byte_size, 1);
    uint32_t power = codelet->state_bytes & -codelet->state_bytes;
    codelet->state_alignment =
        power < 64 ? power : 64; /* a lower bound, until running the compiled code gives the real one */
    void *defaults = arena_alloc(r->arena, codelet->state_bytes);
    codelet->defaults = memset(defaults, 0, codelet->state_bytes);
    return status;
}

/* Whether a class is one of poplar's own, such as SupervisorVertexIf, which is not a vertex with a forgotten
 * compute. */
static bool is_poplar_class(const struct cpp_names *names, Dwarf_Die *type)
{
    struct str name = { 0 };
    cpp_spell(names, type, CPP_FOR_USERS, &name);
    bool ours = strncmp(name.text, "poplar::", 8) == 0 || !dwarf_diename(type);
    str_free(&name);
    return ours;
}

static pop_status read_classes(struct reflection *r, const struct cpp_names *names, const char **without)
{
    pop_status status = POP_OK;
    for (size_t i = 0; i < names->scopes.count && status == POP_OK; ++i) {
        Dwarf_Die type = names->scopes.data[i].die, function;
        int tag = dwarf_tag(&type);
        uint8_t kind;
        if ((tag != DW_TAG_class_type && tag != DW_TAG_structure_type) || dwarf_hasattr(&type, DW_AT_declaration) ||
            !find_kind(names, &type, &kind))
            continue;
        bool found = find_compute(names, &type, kind == VERTEX_MULTI, &function);
        if (found && cpp_is_template(&type) && is_member_of(&function, &type) && !cpp_has_code(names, &function) &&
            !is_external(names, &type)) {
            LOG(CODELETS, DEBUG, "'%s' was not instantiated, or its compute is not defined", dwarf_diename(&type));
            continue;
        }
        if (found)
            status = read_vertex(r, names, &type, &function, kind);
        else if (!*without && !is_poplar_class(names, &type))
            *without = arena_string(r->arena, dwarf_diename(&type));
    }
    return status;
}

pop_status reflect_cpp(struct reflection *r, Dwarf *dwarf)
{
    const char *without = NULL;
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;
    pop_status status = POP_OK;
    while (status == POP_OK && dwarf_get_units(dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        struct cpp_names names = { 0 };
        cpp_names_read(&names, &die);
        status = read_classes(r, &names, &without);
        cpp_names_free(&names);
    }
    if (status != POP_OK || r->vertices.count || (!without && (r->exports || r->templates)))
        return status;
    if (without)
        return reflect_refuse(r, NULL, "vertex '%s' has no compute, and there is no other vertex", without);
    return reflect_refuse(r, NULL,
                          "no vertex in it: define class Name : public poplar::Vertex { ... bool compute(); }; a "
                          "template needs an explicit instantiation, "
                          "template class Name<float>;%s",
                          REFLECT_NOTHING);
}
