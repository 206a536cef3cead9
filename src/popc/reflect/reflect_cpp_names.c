/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/reflect/reflect_cpp_names.h"
#include "popc/reflect/reflect.h"

#include "popc/module/debuginfo.h"
#include <inttypes.h>

/* ---- the scopes of a compilation unit ---- */

static bool is_class(int tag)
{
    return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

static bool referred(Dwarf_Die *die, unsigned attribute, Dwarf_Die *target)
{
    Dwarf_Attribute found;
    return dwarf_attr(die, attribute, &found) && dwarf_formref_die(&found, target);
}

/* Functions are defined outside of the class; gcc names the member directly or, for constructors, through an
 * abstract instance. */
static void read_function(struct cpp_names *names, Dwarf_Die *die)
{
    Dwarf_Die declared, abstract;
    if (!dwarf_hasattr(die, DW_AT_low_pc) && !dwarf_hasattr(die, DW_AT_ranges))
        return;
    if (referred(die, DW_AT_specification, &declared) ||
        (referred(die, DW_AT_abstract_origin, &abstract) && referred(&abstract, DW_AT_specification, &declared)))
        *vec_push(&names->functions) = dwarf_dieoffset(&declared);
}

static void read_children(struct cpp_names *names, Dwarf_Die *of, uint32_t parent)
{
    Dwarf_Die die, declared;
    for (int end = dwarf_child(of, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
        int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram)
            read_function(names, &die);
        if (tag != DW_TAG_namespace && tag != DW_TAG_enumeration_type && !is_class(tag))
            continue;
        uint32_t index = (uint32_t)names->scopes.count;
        *vec_push(&names->scopes) = (struct cpp_scope){ dwarf_dieoffset(&die), parent, die };
        if (is_class(tag) && referred(&die, DW_AT_specification, &declared))
            *vec_push(&names->definitions) = (struct cpp_definition){ dwarf_dieoffset(&declared), die };
        if (tag != DW_TAG_enumeration_type)
            read_children(names, &die, index);
    }
}

void cpp_names_read(struct cpp_names *names, Dwarf_Die *unit)
{
    read_children(names, unit, UINT32_MAX);
}

void cpp_names_free(struct cpp_names *names)
{
    vec_free(&names->scopes);
    vec_free(&names->definitions);
    vec_free(&names->functions);
}

static Dwarf_Off offset_of(const Dwarf_Die *die)
{
    return dwarf_dieoffset((Dwarf_Die *)(uintptr_t)die);
}

/* The scope at an offset; UINT32_MAX when there is none or it is inside a function. */
static uint32_t find_scope(const struct cpp_names *names, Dwarf_Off offset)
{
    size_t low = 0, high = names->scopes.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (names->scopes.data[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < names->scopes.count && names->scopes.data[low].offset == offset ? (uint32_t)low : UINT32_MAX;
}

void cpp_define(const struct cpp_names *names, Dwarf_Die *type)
{
    if (!is_class(dwarf_tag(type)) || !dwarf_hasattr(type, DW_AT_declaration))
        return;
    Dwarf_Off declared = dwarf_dieoffset(type);
    for (size_t i = 0; i < names->definitions.count; ++i)
        if (names->definitions.data[i].declared == declared) {
            *type = names->definitions.data[i].die;
            return;
        }
}

bool cpp_strip(const struct cpp_names *names, Dwarf_Die *type)
{
    if (!type_strip(type))
        return false;
    cpp_define(names, type);
    return true;
}

bool cpp_has_code(const struct cpp_names *names, const Dwarf_Die *function)
{
    Dwarf_Off offset = offset_of(function);
    for (size_t i = 0; i < names->functions.count; ++i)
        if (names->functions.data[i] == offset)
            return true;
    return false;
}

/* The DIE with a class's name and scope: its own, or that of its first declaration. */
static Dwarf_Die named_entry(const Dwarf_Die *type)
{
    Dwarf_Die die = *type, declared;
    return referred(&die, DW_AT_specification, &declared) ? declared : die;
}

/* Length of a name without its template arguments. */
static size_t base_length(const char *name)
{
    return strcspn(name, "<");
}

static bool is_transparent(Dwarf_Die *scope)
{
    return dwarf_tag(scope) == DW_TAG_namespace &&
           (!dwarf_diename(scope) || dwarf_hasattr(scope, DW_AT_export_symbols));
}

static bool is_named(Dwarf_Die *die, const char *name)
{
    const char *seen = dwarf_diename(die);
    return seen && base_length(seen) == strlen(name) && strncmp(seen, name, strlen(name)) == 0;
}

bool cpp_is_poplar(const struct cpp_names *names, const Dwarf_Die *type, const char *name)
{
    Dwarf_Die entry = named_entry(type);
    if (!is_class(dwarf_tag(&entry)) || !is_named(&entry, name))
        return false;
    uint32_t at = find_scope(names, dwarf_dieoffset(&entry));
    at = at == UINT32_MAX ? at : names->scopes.data[at].parent;
    while (at != UINT32_MAX && is_transparent(&names->scopes.data[at].die))
        at = names->scopes.data[at].parent;
    return at != UINT32_MAX && names->scopes.data[at].parent == UINT32_MAX &&
           dwarf_tag(&names->scopes.data[at].die) == DW_TAG_namespace &&
           is_named(&names->scopes.data[at].die, "poplar");
}

static bool is_global_class(const struct cpp_names *names, const Dwarf_Die *type, const char *name)
{
    Dwarf_Die entry = named_entry(type);
    if (!is_class(dwarf_tag(&entry)) || !is_named(&entry, name))
        return false;
    uint32_t at = find_scope(names, dwarf_dieoffset(&entry));
    return at != UINT32_MAX && names->scopes.data[at].parent == UINT32_MAX;
}
bool cpp_is_half(const struct cpp_names *names, const Dwarf_Die *type)
{
    return is_global_class(names, type, "half");
}
bool cpp_is_quarter(const struct cpp_names *names, const Dwarf_Die *type)
{
    return is_global_class(names, type, "quarter");
}

/* ---- template parameters ---- */

static bool is_parameter(int tag)
{
    return tag == DW_TAG_template_type_parameter || tag == DW_TAG_template_value_parameter ||
           tag == DW_TAG_GNU_template_parameter_pack || tag == DW_TAG_GNU_template_template_param;
}

bool cpp_parameter(const Dwarf_Die *type, unsigned index, Dwarf_Die *parameter)
{
    Dwarf_Die die = *type;
    for (int end = dwarf_child(&die, parameter); end == 0; end = dwarf_siblingof(parameter, parameter))
        if (is_parameter(dwarf_tag(parameter)) && !index--)
            return true;
    return false;
}

bool cpp_is_template(const Dwarf_Die *type)
{
    Dwarf_Die entry = named_entry(type);
    const char *name = dwarf_diename(&entry);
    return name && strchr(name, '<');
}

/* ---- spelling ---- */

struct speller {
    const struct cpp_names *names;
    struct str *out;
    bool compilers;
    bool good; /* false after a part that cannot be spelled */
};

static void spell(struct speller *s, const Dwarf_Die *type);

/* Spells base types as C++ does; debug information has the spellings of gcc ("long unsigned int") or clang. */
static void spell_base(struct speller *s, Dwarf_Die *base)
{
    static const char *const integers[2][4] = { { "unsigned char", "unsigned short", "unsigned int", "unsigned long" },
                                                { "signed char", "short", "int", "long" } };
    const char *name = dwarf_diename(base), *spelled = name ? name : "?";
    uint64_t bytes = die_number(base, DW_AT_byte_size, 0), encoding = die_number(base, DW_AT_encoding, 0);
    bool is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
    if (is_signed || encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char) {
        int size = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : bytes == 8 ? 3 : -1;
        if (strstr(spelled, "long long"))
            spelled = is_signed ? "long long" : "unsigned long long";
        else if (size >= 0 && strcmp(spelled, "char") != 0 && strcmp(spelled, "wchar_t") != 0)
            spelled = integers[is_signed][size];
    }
    str_add(s->out, spelled);
}

static bool is_same_value(uint64_t a, uint64_t b, uint64_t bytes)
{
    uint64_t mask = bytes && bytes < 8 ? ((uint64_t)1 << bytes * 8) - 1 : UINT64_MAX;
    return (a & mask) == (b & mask);
}

static bool constant(Dwarf_Die *die, bool is_signed, uint64_t *value)
{
    Dwarf_Attribute attribute;
    Dwarf_Sword with;
    Dwarf_Word without;
    if (!dwarf_attr_integrate(die, DW_AT_const_value, &attribute))
        return false;
    if (is_signed && dwarf_formsdata(&attribute, &with) == 0)
        *value = (uint64_t)with;
    else if (dwarf_formudata(&attribute, &without) == 0)
        *value = without;
    else
        return false;
    return true;
}

static void spell_path(struct speller *s, uint32_t scope);

/* Spells "ns::Kind::NAME", without the enumeration when it is unscoped; a number when no enumerator has the value. */
static void spell_enumerator(struct speller *s, Dwarf_Die *type, uint64_t value)
{
    Dwarf_Die die;
    uint64_t bytes = die_number(type, DW_AT_byte_size, 4), known;
    for (int end = dwarf_child(type, &die); end == 0; end = dwarf_siblingof(&die, &die)) {
        if (dwarf_tag(&die) != DW_TAG_enumerator || !constant(&die, true, &known) ||
            !is_same_value(known, value, bytes))
            continue;
        uint32_t scope = find_scope(s->names, dwarf_dieoffset(type));
        if (dwarf_hasattr(type, DW_AT_enum_class)) {
            spell(s, type);
            str_add(s->out, "::");
        } else if (scope != UINT32_MAX) {
            spell_path(s, s->names->scopes.data[scope].parent);
        }
        str_add(s->out, dwarf_diename(&die));
        return;
    }
    str_format(s->out, "%lld", (long long)value);
}

static bool is_signed_type(Dwarf_Die *type)
{
    uint64_t encoding = die_number(type, DW_AT_encoding, DW_ATE_signed);
    return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

static void spell_value(struct speller *s, Dwarf_Die *parameter)
{
    Dwarf_Die type;
    uint64_t value;
    bool typed = type_of(parameter, &type) && type_strip(&type);
    bool is_signed = typed && is_signed_type(&type);
    int tag = typed ? dwarf_tag(&type) : 0;
    if (!typed || (tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type) ||
        !constant(parameter, is_signed, &value)) {
        s->good = false;
        str_add(s->out, "?");
        return;
    }
    uint64_t bytes = die_number(&type, DW_AT_byte_size, 8);
    if (!is_signed && bytes < 8)
        value &= ((uint64_t)1 << bytes * 8) - 1;
    if (s->compilers) {
        str_add(s->out, "(");
        spell(s, &type);
        str_format(s->out, is_signed ? ")%" PRId64 "%s" : ")%" PRIu64 "%s", value, is_signed ? "LL" : "ULL");
    } else if (tag == DW_TAG_enumeration_type) {
        spell_enumerator(s, &type, value);
    } else if (die_number(&type, DW_AT_encoding, 0) == DW_ATE_boolean) {
        str_add(s->out, value ? "true" : "false");
    } else {
        str_format(s->out, is_signed ? "%" PRId64 : "%" PRIu64, value);
    }
}

static void spell_parameter(struct speller *s, Dwarf_Die *parameter, unsigned *count)
{
    Dwarf_Die type, packed;
    Dwarf_Attribute name;
    const char *template;
    if (dwarf_tag(parameter) == DW_TAG_GNU_template_parameter_pack) {
        for (int end = dwarf_child(parameter, &packed); end == 0; end = dwarf_siblingof(&packed, &packed))
            spell_parameter(s, &packed, count);
        return;
    }
    str_add(s->out, !(*count)++ ? "" : s->compilers ? ", " : ",");
    switch (dwarf_tag(parameter)) {
    case DW_TAG_template_type_parameter:
        spell(s, type_of(parameter, &type) ? &type : NULL);
        break;
    case DW_TAG_template_value_parameter:
        spell_value(s, parameter);
        break;
    default:
        template = dwarf_attr(parameter, DW_AT_GNU_template_name, &name) ? dwarf_formstring(&name) : NULL;
        s->good &= template != NULL;
        str_add(s->out, template ? template : "?");
    }
}

/* Spells the template arguments; for a class that is only declared, as its name has them. */
static void spell_arguments(struct speller *s, Dwarf_Die *type, const char *name)
{
    Dwarf_Die parameter;
    unsigned count = 0;
    if (!strchr(name, '<'))
        return;
    if (!cpp_parameter(type, 0, &parameter)) {
        str_add(s->out, name + base_length(name));
        return;
    }
    str_add(s->out, "<");
    for (unsigned i = 0; cpp_parameter(type, i, &parameter); ++i)
        spell_parameter(s, &parameter, &count);
    str_add(s->out, ">");
}

static void spell_named(struct speller *s, Dwarf_Die *type)
{
    Dwarf_Die entry = named_entry(type), definition = *type;
    cpp_define(s->names, &definition);
    const char *name = dwarf_diename(&entry);
    if (!name) {
        s->good = false;
        str_add(s->out, "(unnamed)");
        return;
    }
    uint32_t scope = find_scope(s->names, dwarf_dieoffset(&entry));
    spell_path(s, scope == UINT32_MAX ? scope : s->names->scopes.data[scope].parent);
    str_add_bytes(s->out, name, base_length(name));
    spell_arguments(s, &definition, name);
}

/* Spells "outer::inner::"; unnamed and inline namespaces are omitted. */
static void spell_path(struct speller *s, uint32_t scope)
{
    if (scope == UINT32_MAX) {
        str_add(s->out, s->compilers ? "::" : "");
        return;
    }
    Dwarf_Die *die = &s->names->scopes.data[scope].die;
    if (dwarf_tag(die) == DW_TAG_namespace) {
        spell_path(s, s->names->scopes.data[scope].parent);
        if (is_transparent(die))
            return;
        str_add(s->out, dwarf_diename(die));
    } else {
        spell_named(s, die);
    }
    str_add(s->out, "::");
}

static void spell_array(struct speller *s, Dwarf_Die *array)
{
    Dwarf_Die range;
    str_add(s->out, " ");
    for (int end = dwarf_child(array, &range); end == 0; end = dwarf_siblingof(&range, &range)) {
        uint64_t count = die_number(&range, DW_AT_count, UINT64_MAX);
        if (count == UINT64_MAX)
            count = die_number(&range, DW_AT_upper_bound, UINT64_MAX) + 1;
        str_format(s->out, "[%" PRIu64 "]", count);
    }
}

static void spell_after(struct speller *s, const Dwarf_Die *inner, const char *mark)
{
    spell(s, inner);
    char last = s->out->text[s->out->length - 1];
    str_add(s->out, last == '*' || last == '&' ? "" : " ");
    str_add(s->out, mark);
}

static void spell(struct speller *s, const Dwarf_Die *type)
{
    if (!type) {
        str_add(s->out, "void");
        return;
    }
    Dwarf_Die die = *type, next;
    const Dwarf_Die *inner = type_of(&die, &next) ? &next : NULL;
    const char *name = dwarf_diename(&die);
    switch (dwarf_tag(&die)) {
    case DW_TAG_base_type:
        spell_base(s, &die);
        break;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
        spell_named(s, &die);
        break;
    case DW_TAG_typedef:
        spell(s, inner);
        break;
    case DW_TAG_const_type:
        str_add(s->out, "const ");
        spell(s, inner);
        break;
    case DW_TAG_volatile_type:
        str_add(s->out, "volatile ");
        spell(s, inner);
        break;
    case DW_TAG_pointer_type:
        spell_after(s, inner, "*");
        break;
    case DW_TAG_reference_type:
        spell_after(s, inner, "&");
        break;
    case DW_TAG_rvalue_reference_type:
        spell_after(s, inner, "&&");
        break;
    case DW_TAG_array_type:
        spell(s, inner);
        spell_array(s, &die);
        break;
    default: /* functions, pointers to members */
        s->good = false;
        str_add(s->out, name ? name : dwarf_tag(&die) == DW_TAG_subroutine_type ? "function" : "?");
    }
}

bool cpp_spell(const struct cpp_names *names, const Dwarf_Die *type, enum cpp_spelling spelling, struct str *out)
{
    struct speller speller = { names, out, spelling == CPP_FOR_COMPILERS, true };
    spell(&speller, type);
    return speller.good;
}
