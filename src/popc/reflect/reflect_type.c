/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/reflect/reflect.h"

#include "popc/module/debuginfo.h"
#include <string.h>

bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
    Dwarf_Attribute attribute;
    return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

bool type_strip(Dwarf_Die *type)
{
    for (;;) {
        switch (dwarf_tag(type)) {
        case DW_TAG_const_type:
        case DW_TAG_volatile_type:
        case DW_TAG_restrict_type:
        case DW_TAG_atomic_type:
        case DW_TAG_typedef: {
            Dwarf_Die next;
            if (!type_of(type, &next))
                return false;
            *type = next;
            break;
        }
        default:
            return true;
        }
    }
}

bool type_pointee(const Dwarf_Die *type, Dwarf_Die *target)
{
    Dwarf_Die pointer = *type;
    return type_strip(&pointer) && dwarf_tag(&pointer) == DW_TAG_pointer_type && type_of(&pointer, target) &&
           type_strip(target);
}

uint64_t die_number(Dwarf_Die *die, unsigned attribute, uint64_t fallback)
{
    Dwarf_Attribute found;
    Dwarf_Word value;
    if (!dwarf_attr_integrate(die, attribute, &found) || dwarf_formudata(&found, &value) != 0)
        return fallback;
    return value;
}

bool die_child(Dwarf_Die *die, int tag, const char *name, Dwarf_Die *child)
{
    if (dwarf_child(die, child) != 0)
        return false;
    do {
        const char *seen = dwarf_diename(child);
        if (dwarf_tag(child) == tag && (!name || (seen && strcmp(seen, name) == 0)))
            return true;
    } while (dwarf_siblingof(child, child) == 0);
    return false;
}

uint64_t type_array_length(const Dwarf_Die *type)
{
    Dwarf_Die array = *type, range;
    if (!type_strip(&array) || dwarf_tag(&array) != DW_TAG_array_type ||
        !die_child(&array, DW_TAG_subrange_type, NULL, &range))
        return 0;
    uint64_t count = die_number(&range, DW_AT_count, UINT64_MAX);
    if (count != UINT64_MAX)
        return count;
    return die_number(&range, DW_AT_upper_bound, UINT64_MAX) + 1;
}

/* int64_t is long on this host and long long on the device, so the alias is accepted where long is not. */
static bool is_fixed_64(Dwarf_Die type)
{
    static const char *const names[] = { "int64_t", "uint64_t", "__int64_t", "__uint64_t" };
    Dwarf_Die next;
    for (; dwarf_tag(&type) == DW_TAG_typedef || dwarf_tag(&type) == DW_TAG_const_type; type = next) {
        const char *name = dwarf_diename(&type);
        for (int i = 0; i < 4 && name; ++i)
            if (strcmp(name, names[i]) == 0)
                return true;
        if (!type_of(&type, &next))
            return false;
    }
    return false;
}

static pop_type integer(uint64_t bytes, bool is_signed)
{
    switch (bytes) {
    case 1:
        return is_signed ? POP_SIGNED_CHAR : POP_UNSIGNED_CHAR;
    case 2:
        return is_signed ? POP_SHORT : POP_UNSIGNED_SHORT;
    case 4:
        return is_signed ? POP_INT : POP_UNSIGNED_INT;
    case 8:
        return is_signed ? POP_LONGLONG : POP_UNSIGNED_LONGLONG;
    default:
        return POP_TYPE_NULL;
    }
}

/* All base types of C, including those that no device has. */
static pop_type base_type(Dwarf_Die *base)
{
    uint64_t bytes = die_number(base, DW_AT_byte_size, 0);
    const char *name = dwarf_diename(base);
    name = name ? name : "";
    switch (die_number(base, DW_AT_encoding, 0)) {
    case DW_ATE_boolean:
        return bytes == 1 ? POP_BOOL : POP_TYPE_NULL;
    case DW_ATE_float:
        if (bytes == 2)
            return strcmp(name, "_Float16") == 0 || strcmp(name, "__fp16") == 0 ? POP_HALF : POP_TYPE_NULL;
        return bytes == 4 ? POP_FLOAT : bytes == 8 ? POP_DOUBLE : POP_TYPE_NULL;
    case DW_ATE_signed:
    case DW_ATE_signed_char:
        if (bytes == 1 && strcmp(name, "char") == 0)
            return POP_CHAR;
        return bytes == 8 && !strstr(name, "long long") ? POP_LONG : integer(bytes, true);
    case DW_ATE_unsigned:
    case DW_ATE_unsigned_char:
        return bytes == 8 && !strstr(name, "long long") ? POP_UNSIGNED_LONG : integer(bytes, false);
    default:
        return POP_TYPE_NULL;
    }
}

static pop_type enumeration(Dwarf_Die *type)
{
    Dwarf_Die underlying;
    if (type_of(type, &underlying) && type_strip(&underlying))
        return base_type(&underlying);
    return integer(die_number(type, DW_AT_byte_size, 0), false);
}

/* The element type, or the refused type that corresponds to it (long, double). */
static pop_type any_scalar(const Dwarf_Die *type)
{
    Dwarf_Die bare = *type;
    if (!type_strip(&bare))
        return POP_TYPE_NULL;
    if (dwarf_tag(&bare) == DW_TAG_enumeration_type)
        return enumeration(&bare);
    return dwarf_tag(&bare) == DW_TAG_base_type ? base_type(&bare) : POP_TYPE_NULL;
}

pop_type type_scalar(const Dwarf_Die *type)
{
    pop_type scalar = any_scalar(type);
    if (is_fixed_64(*type))
        scalar = scalar == POP_LONG ? POP_LONGLONG : scalar == POP_UNSIGNED_LONG ? POP_UNSIGNED_LONGLONG : scalar;
    return pop_type_is_supported(scalar) ? scalar : POP_TYPE_NULL;
}

const char *type_advice(const Dwarf_Die *type)
{
    Dwarf_Die bare = *type, data;
    /* `POP_INOUT(int) a, b;`: b has the type that the macro makes for the value of a, but no mark. */
    if (type_strip(&bare) && dwarf_tag(&bare) == DW_TAG_structure_type && !dwarf_diename(&bare) &&
        die_child(&bare, DW_TAG_member, "data", &data))
        return ", declare each field by itself: one POP_INPUT, POP_INOUT, POP_OUTPUT or POP_STATE for each";
    switch (any_scalar(type)) {
    case POP_DOUBLE:
        return ", use float";
    case POP_LONG:
        return ", use int, long long or int64_t";
    case POP_UNSIGNED_LONG:
        return ", use unsigned, unsigned long long or uint64_t";
    default:
        return "";
    }
}

static void spell_tagged(const char *word, Dwarf_Die *type, struct str *out)
{
    const char *name = dwarf_diename(type);
    str_format(out, name ? "%s %s" : "%s {...}", word, name);
}

static void spell_array(Dwarf_Die *array, struct str *out)
{
    Dwarf_Die range;
    str_add(out, " ");
    if (dwarf_child(array, &range) != 0)
        return;
    do {
        uint64_t count = die_number(&range, DW_AT_count, UINT64_MAX);
        if (count == UINT64_MAX)
            count = die_number(&range, DW_AT_upper_bound, UINT64_MAX) + 1;
        str_format(out, "[%llu]", (unsigned long long)count);
    } while (dwarf_siblingof(&range, &range) == 0);
}

void type_spell(const Dwarf_Die *type, struct str *out)
{
    if (!type) {
        str_add(out, "void");
        return;
    }
    Dwarf_Die die = *type, next;
    const Dwarf_Die *inner = type_of(&die, &next) ? &next : NULL;
    const char *name = dwarf_diename(&die);
    pop_type scalar = POP_TYPE_NULL;
    switch (dwarf_tag(&die)) {
    case DW_TAG_base_type:
        scalar = any_scalar(&die);
        str_add(out, scalar ? pop_type_name(scalar) : name ? name : "?");
        break;
    case DW_TAG_structure_type:
        spell_tagged("struct", &die, out);
        break;
    case DW_TAG_union_type:
        spell_tagged("union", &die, out);
        break;
    case DW_TAG_enumeration_type:
        spell_tagged("enum", &die, out);
        break;
    case DW_TAG_const_type:
        str_add(out, "const ");
        type_spell(inner, out);
        break;
    case DW_TAG_volatile_type:
        str_add(out, "volatile ");
        type_spell(inner, out);
        break;
    case DW_TAG_pointer_type:
        type_spell(inner, out);
        str_add(out, out->text[out->length - 1] == '*' ? "*" : " *");
        break;
    case DW_TAG_array_type:
        type_spell(inner, out);
        spell_array(&die, out);
        break;
    case DW_TAG_subroutine_type:
        str_add(out, "function");
        break;
    default:
        str_add(out, name ? name : "?");
    }
}
