/* SPDX-License-Identifier: Apache-2.0 */
/* Reads fields of C vertices. A zero-size member pop_field_N precedes each field that vertex.h's macros made and
 * encodes its direction, shape, layouts and alignment as array lengths; other members are plain state. */
#include "popc/reflect/reflect.h"

#include "popc/module/debuginfo.h"

static const char mark_prefix[] = "pop_field_";
enum { SHAPE_NESTED = SHAPE_SCALARS + 1, MAX_ALIGNMENT = 1 << 16 };

struct mark {
    uint64_t direction, shape, layout, inner, align, interleaved;
};

/* The encoded number: the mark's array length minus 1. */
static uint64_t mark_number(Dwarf_Die *type, const char *name)
{
    Dwarf_Die member, array;
    if (!die_child(type, DW_TAG_member, name, &member) || !type_of(&member, &array))
        return 0;
    uint64_t length = type_array_length(&array);
    return length ? length - 1 : 0;
}

static struct mark read_mark(Dwarf_Die *member)
{
    Dwarf_Die array, type;
    struct mark mark = { 0 };
    if (!type_of(member, &array) || !type_of(&array, &type) || !type_strip(&type))
        return mark;
    mark.direction = mark_number(&type, "direction");
    mark.shape = mark_number(&type, "shape");
    mark.layout = mark_number(&type, "layout");
    mark.inner = mark_number(&type, "inner");
    mark.align = mark_number(&type, "align");
    mark.interleaved = mark_number(&type, "interleaved");
    return mark;
}

/* Decodes struct { T *data; size_t size; }: gives T and whether there is a size. */
static bool open_holder(Dwarf_Die *holder, Dwarf_Die *element, bool *has_size)
{
    Dwarf_Die data, size, pointer;
    if (!type_strip(holder) || !die_child(holder, DW_TAG_member, "data", &data) || !type_of(&data, &pointer))
        return false;
    *has_size = die_child(holder, DW_TAG_member, "size", &size);
    return type_strip(&pointer) && type_of(&pointer, element);
}

/* Gives the element type of a field, following its shape. */
static bool open_field(const struct mark *mark, Dwarf_Die *type, struct codelet_field *field, Dwarf_Die *element)
{
    Dwarf_Die inner;
    switch (mark->shape) {
    case SHAPE_VECTOR:
        return open_holder(type, element, &field->has_size);
    case SHAPE_VECTORS:
    case SHAPE_VECTOR_LIST:
        if (!open_holder(type, &inner, &field->has_size) || !open_holder(&inner, element, &field->inner_has_size))
            return false;
        field->inner_stride = pointer_bytes(field->inner_has_size);
        return true;
    case SHAPE_SCALARS:
        field->inner_stride = pointer_bytes(false);
        return open_holder(type, &inner, &field->has_size) && type_strip(&inner) && type_of(&inner, element);
    default:
        if (mark->direction == FIELD_STATE) {
            *element = *type;
            return true;
        }
        return type_strip(type) && type_of(type, element);
    }
}

static pop_status refuse_type(struct reflection *r, Dwarf_Die *member, const struct codelet *codelet, Dwarf_Die *type)
{
    struct str spelled = { 0 };
    Dwarf_Die bare;
    while (type && dwarf_tag(type) == DW_TAG_const_type) /* inputs are const */
        type = type_of(type, &bare) ? &bare : NULL;
    type_spell(type, &spelled);
    const char *name = dwarf_diename(member);
    pop_status status = reflect_refuse(r, member, "field '%s.%s' has unsupported field type '%s'%s", codelet->name,
                                       name ? name : "(unnamed)", str_text(&spelled), type ? type_advice(type) : "");
    str_free(&spelled);
    return status;
}

static pop_status set_alignment(struct reflection *r, Dwarf_Die *member, const struct codelet *codelet,
                                struct codelet_field *field, uint64_t align)
{
    uint64_t natural = pop_type_size((pop_type)field->type);
    if (align & (align - 1) || align > MAX_ALIGNMENT)
        return reflect_refuse(r, member, "field '%s.%s' has alignment %llu, which is not a power of two up to %d",
                              codelet->name, field->name, (unsigned long long)align, (int)MAX_ALIGNMENT);
    field->alignment = (uint32_t)(align > natural ? align : natural);
    return POP_OK;
}

static pop_status read_field(struct reflection *r, Dwarf_Die *member, const struct mark *mark,
                             const struct codelet *codelet, struct codelet_field *field)
{
    Dwarf_Die type, element, bare;
    const char *name = dwarf_diename(member);
    if (!type_of(member, &type))
        return refuse_type(r, member, codelet, NULL);
    if (!name)
        return refuse_type(r, member, codelet, &type);
    if (dwarf_hasattr(member, DW_AT_bit_size))
        return reflect_refuse(r, member, "field '%s.%s' is a bit-field, which a vertex cannot have", codelet->name,
                              name);
    if (mark->shape == SHAPE_NESTED)
        return reflect_refuse(r, member,
                              "field '%s.%s' has unsupported field type 'vector in a vector': POP_VECTORS(T) is a "
                              "vector of vectors of T, and "
                              "there is nothing deeper",
                              codelet->name, name);
    *field = (struct codelet_field){ .name = arena_string(r->arena, name),
                                     .direction = (uint8_t)mark->direction,
                                     .shape = (uint8_t)mark->shape,
                                     .layout = (uint8_t)mark->layout,
                                     .inner_layout = (uint8_t)mark->inner,
                                     .interleaved = mark->interleaved != 0 };
    bare = type;
    Dwarf_Word bytes;
    if (!open_field(mark, &type, field, &element))
        return refuse_type(r, member, codelet, &type);
    field->type = (uint8_t)type_scalar(&element);
    if (!field->type)
        return refuse_type(r, member, codelet, &element);
    if (dwarf_aggregate_size(&bare, &bytes) != 0)
        return refuse_type(r, member, codelet, &bare);
    field->offset = (uint32_t)die_number(member, DW_AT_data_member_location, 0);
    field->bytes = (uint32_t)bytes;
    return set_alignment(r, member, codelet, field, mark->align);
}

pop_status reflect_fields(struct reflection *r, Dwarf_Die *type, struct codelet *codelet)
{
    VEC(struct codelet_field) fields = { 0 };
    struct mark mark = { 0 };
    pop_status status = POP_OK;
    Dwarf_Die member;
    for (int end = dwarf_child(type, &member); end == 0 && status == POP_OK; end = dwarf_siblingof(&member, &member)) {
        const char *name = dwarf_diename(&member);
        if (dwarf_tag(&member) != DW_TAG_member)
            continue;
        if (name && strncmp(name, mark_prefix, sizeof(mark_prefix) - 1) == 0) {
            mark = read_mark(&member);
            continue;
        }
        if (fields.count == UINT16_MAX) { /* edges store the field's index in 16 bits */
            status = reflect_refuse(r, &member, "vertex type '%s' has more than %d fields", codelet->name, UINT16_MAX);
            break;
        }
        status = read_field(r, &member, &mark, codelet, vec_push(&fields));
        mark = (struct mark){ 0 };
    }
    codelet->field_count = (uint32_t)fields.count;
    codelet->fields = arena_alloc(r->arena, fields.count * sizeof(*fields.data));
    if (fields.count)
        memcpy(codelet->fields, fields.data, fields.count * sizeof(*fields.data));
    vec_free(&fields);
    return status;
}
