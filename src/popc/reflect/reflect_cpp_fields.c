/* SPDX-License-Identifier: Apache-2.0 */
/* Reads fields of C++ vertices: the types Input, Output, InOut, Vector and VectorList and their template arguments
 * give direction, shape, layouts and alignment. */
#include "popc/reflect/reflect.h"
#include "popc/reflect/reflect_cpp_names.h"

#include "base/container.h"

#include "popc/module/debuginfo.h"

enum { MAX_ALIGNMENT = 1 << 16 };

struct fields {
    struct reflection *r;
    const struct cpp_names *names;
    struct codelet *codelet;
    VEC(struct codelet_field) list;
};

/* A vector or list, as its template parameters describe it. */
struct vector_type {
    Dwarf_Die element;
    uint64_t layout, alignment, bytes; /* bytes: of pointer and size */
    bool interleaved, list;
    bool has_metadata; /* a pointer to the metadata follows: elements are quarter */
};

static uint64_t parameter_number(const Dwarf_Die *type, unsigned index, uint64_t fallback)
{
    Dwarf_Die parameter;
    return cpp_parameter(type, index, &parameter) ? die_number(&parameter, DW_AT_const_value, fallback) : fallback;
}

/* The first template argument, which is a type. */
static bool first_argument(const struct cpp_names *names, const Dwarf_Die *type, Dwarf_Die *argument)
{
    Dwarf_Die parameter;
    return cpp_parameter(type, 0, &parameter) && type_of(&parameter, argument) && cpp_strip(names, argument);
}

static bool open_vector(const struct cpp_names *names, const Dwarf_Die *type, struct vector_type *vector_type)
{
    Dwarf_Die die = *type, parameter;
    vector_type->list = cpp_is_poplar(names, type, "VectorList");
    if ((!vector_type->list && !cpp_is_poplar(names, type, "Vector")) || !cpp_parameter(type, 0, &parameter) ||
        !type_of(&parameter, &vector_type->element))
        return false;
    vector_type->layout = parameter_number(type, 1, 0);
    vector_type->alignment = parameter_number(type, 2, 0);
    vector_type->interleaved = parameter_number(type, 3, 0) != 0;
    vector_type->bytes = die_number(&die, DW_AT_byte_size, 0);
    Dwarf_Die element = vector_type->element;
    vector_type->has_metadata = !vector_type->list && cpp_strip(names, &element) && cpp_is_quarter(names, &element);
    if (vector_type->has_metadata)
        vector_type->bytes -= pointer_bytes(false);
    return vector_type->layout <= (vector_type->list ? (uint64_t)LIST_COMPACT_DELTAN : (uint64_t)LAYOUT_COMPACT_PTR);
}

/* Whether type is Input, Output or InOut; sets the direction and the type inside. */
static bool open_edge(const struct cpp_names *names, Dwarf_Die *type, uint8_t *direction)
{
    static const char *const templates[] = {
        [FIELD_INPUT] = "Input", [FIELD_OUTPUT] = "Output", [FIELD_INOUT] = "InOut"
    };
    for (int i = FIELD_INPUT; i <= FIELD_INOUT; ++i)
        if (cpp_is_poplar(names, type, templates[i])) {
            *direction = (uint8_t)i;
            return first_argument(names, type, type);
        }
    return false;
}

/* The element type of a C++ type. 64-bit integers must be long long or int64_t: the alias makes it the device's
 * type, but template arguments lose aliases. */
pop_type cpp_scalar(const struct cpp_names *names, const Dwarf_Die *type)
{
    Dwarf_Die bare = *type;
    if (!cpp_strip(names, &bare))
        return POP_TYPE_NULL;
    if (cpp_is_half(names, &bare))
        return POP_HALF;
    if (cpp_is_quarter(names, &bare))
        return POP_QUARTER;
    pop_type scalar = type_scalar(&bare);
    if (scalar || dwarf_tag(&bare) != DW_TAG_base_type || die_number(&bare, DW_AT_byte_size, 0) != 8)
        return scalar;
    uint64_t encoding = die_number(&bare, DW_AT_encoding, 0);
    return encoding == DW_ATE_signed     ? POP_LONGLONG
           : encoding == DW_ATE_unsigned ? POP_UNSIGNED_LONGLONG
                                         : POP_TYPE_NULL;
}

/* The requested alignment, capped to the field's range; set_alignment refuses it when too large. */
static uint32_t asked_alignment(const struct vector_type *vector_type)
{
    return vector_type->alignment <= UINT32_MAX ? (uint32_t)vector_type->alignment : UINT32_MAX;
}

static void set_vector_field(struct codelet_field *field, const struct vector_type *vector_type)
{
    field->has_size = vector_type->bytes == pointer_bytes(true);
    field->alignment = asked_alignment(vector_type);
    field->interleaved = vector_type->interleaved;
    *(vector_type->list ? &field->inner_layout : &field->layout) = (uint8_t)vector_type->layout;
}

/* Handles vectors of edges and vectors of vectors: *element becomes the inner element's type. */
static void open_inner(const struct cpp_names *names, struct codelet_field *field, Dwarf_Die *element)
{
    Dwarf_Die type = *element;
    struct vector_type inner;
    if (!cpp_strip(names, &type))
        return;
    if (field->direction == FIELD_STATE && open_edge(names, &type, &field->direction)) {
        field->shape = SHAPE_SCALARS;
        field->alignment = 0; /* it applied to the pointers */
        field->inner_stride = pointer_bytes(false);
        *element = type;
    }
    if (!open_vector(names, &type, &inner) || inner.list)
        return;
    field->shape = SHAPE_VECTORS;
    field->inner_layout = (uint8_t)inner.layout;
    field->inner_has_size = inner.bytes == pointer_bytes(true);
    field->inner_stride = (uint32_t)inner.bytes;
    field->alignment = asked_alignment(&inner);
    field->interleaved = inner.interleaved;
    *element = inner.element;
}

/* Sets shape, layouts and direction; gives the type of the elements. */
static void open_field(const struct cpp_names *names, const Dwarf_Die *member_type, struct codelet_field *field,
                       Dwarf_Die *element)
{
    Dwarf_Die type = *member_type;
    struct vector_type vector_type;
    *element = type;
    if (!cpp_strip(names, &type))
        return;
    if (open_edge(names, &type, &field->direction))
        *element = type;
    if (!open_vector(names, &type, &vector_type) || (vector_type.list && field->direction == FIELD_STATE))
        return;
    set_vector_field(field, &vector_type);
    field->shape = vector_type.list ? SHAPE_VECTOR_LIST : SHAPE_VECTOR;
    field->inner_has_size = vector_type.list;
    field->inner_stride = vector_type.list ? pointer_bytes(true) : 0;
    *element = vector_type.element;
    if (!vector_type.list)
        open_inner(names, field, element);
}

static pop_status refuse_type(struct fields *f, Dwarf_Die *member, const Dwarf_Die *type)
{
    struct str spelled = { 0 };
    cpp_spell(f->names, type, CPP_FOR_USERS, &spelled);
    const char *name = dwarf_diename(member);
    pop_status status =
        reflect_refuse(f->r, member, "Error: Field '%s.%s' has unsupported field type '%s'%s", f->codelet->name,
                       name ? name : "(unnamed)", str_text(&spelled), type ? type_advice(type) : "");
    str_free(&spelled);
    return status;
}

static pop_status set_alignment(struct fields *f, Dwarf_Die *member, struct codelet_field *field)
{
    uint32_t natural = (uint32_t)pop_type_size((pop_type)field->type), asked = field->alignment;
    if ((asked & (asked - 1)) || asked > MAX_ALIGNMENT)
        return reflect_refuse(f->r, member, "field '%s.%s' has alignment %u, which is not a power of two up to %d",
                              f->codelet->name, field->name, (unsigned)asked, (int)MAX_ALIGNMENT);
    field->alignment = asked > natural ? asked : natural;
    return POP_OK;
}

/* An edge of 8-bit floats is followed by an edge to their metadata, which connecting the tensor connects. */
static pop_status add_quarters(struct fields *f, Dwarf_Die *member, struct codelet_field *field)
{
    if (field->shape != SHAPE_VECTOR || field->direction == FIELD_STATE)
        return reflect_refuse(f->r, member,
                              "field '%s.%s' is no edge to a vector: others have no place for the metadata of quarter, "
                              "and take its codes as unsigned char",
                              f->codelet->name, field->name);
    size_t size = strlen(field->name) + sizeof("/metadata");
    char *name = mem_alloc(size);
    snprintf(name, size, "%s/metadata", field->name);
    struct codelet_field metadata = { .name = arena_string(f->r->arena, name),
                                      .type = POP_QUARTER_METADATA,
                                      .direction = FIELD_INPUT,
                                      .shape = SHAPE_SCALAR,
                                      .alignment = 1,
                                      .bytes = pointer_bytes(false) };
    free(name);
    field->bytes -= metadata.bytes;
    metadata.offset = field->offset + field->bytes;
    *vec_push(&f->list) = *field;
    *vec_push(&f->list) = metadata;
    return POP_OK;
}

static pop_status read_field(struct fields *f, Dwarf_Die *member, uint64_t base)
{
    Dwarf_Die type, element;
    const char *name = dwarf_diename(member);
    if (!type_of(member, &type))
        return refuse_type(f, member, NULL);
    if (name && strncmp(name, "_vptr", 5) == 0)
        return reflect_refuse(f->r, NULL, "vertex '%s' has virtual functions, which a vertex cannot have",
                              f->codelet->name);
    if (!name)
        return refuse_type(f, member, &type);
    if (dwarf_hasattr(member, DW_AT_bit_size))
        return reflect_refuse(f->r, member, "field '%s.%s' is a bit-field, which a vertex cannot have",
                              f->codelet->name, name);
    if (f->list.count == UINT16_MAX) /* edges store the field's index in 16 bits */
        return reflect_refuse(f->r, member, "vertex type '%s' has more than %d fields", f->codelet->name, UINT16_MAX);
    struct codelet_field field = { .name = arena_string(f->r->arena, name) };
    Dwarf_Word bytes;
    open_field(f->names, &type, &field, &element);
    field.type = (uint8_t)cpp_scalar(f->names, &element);
    if (!field.type || dwarf_aggregate_size(&type, &bytes) != 0)
        return refuse_type(f, member, &element);
    field.offset = (uint32_t)(base + die_number(member, DW_AT_data_member_location, 0));
    field.bytes = (uint32_t)bytes;
    pop_status status = set_alignment(f, member, &field);
    if (status == POP_OK && field.type == POP_QUARTER && field.shape != SHAPE_SCALAR)
        return add_quarters(f, member, &field);
    if (status == POP_OK)
        *vec_push(&f->list) = field;
    return status;
}

static bool is_static(Dwarf_Die *member)
{
    return dwarf_hasattr(member, DW_AT_external) || dwarf_hasattr(member, DW_AT_declaration);
}

/* Reads the fields of bases first, as they come first in memory. */
static pop_status read_class(struct fields *f, Dwarf_Die *type, uint64_t offset)
{
    Dwarf_Die part, base;
    pop_status status = POP_OK;
    for (int end = dwarf_child(type, &part); end == 0 && status == POP_OK; end = dwarf_siblingof(&part, &part)) {
        if (dwarf_tag(&part) != DW_TAG_inheritance || !type_of(&part, &base) || !cpp_strip(f->names, &base))
            continue;
        if (dwarf_hasattr(&part, DW_AT_virtuality))
            return reflect_refuse(f->r, NULL, "vertex '%s' has a virtual base, which a vertex cannot have",
                                  f->codelet->name);
        status = read_class(f, &base, offset + die_number(&part, DW_AT_data_member_location, 0));
    }
    for (int end = dwarf_child(type, &part); end == 0 && status == POP_OK; end = dwarf_siblingof(&part, &part))
        if (dwarf_tag(&part) == DW_TAG_member && !is_static(&part))
            status = read_field(f, &part, offset);
    return status;
}

pop_status cpp_reflect_fields(struct reflection *r, const struct cpp_names *names, Dwarf_Die *type,
                              struct codelet *codelet)
{
    struct fields f = { .r = r, .names = names, .codelet = codelet };
    pop_status status = read_class(&f, type, 0);
    codelet->field_count = (uint32_t)f.list.count;
    codelet->fields = arena_alloc(r->arena, f.list.count * sizeof(*f.list.data));
    if (f.list.count)
        memcpy(codelet->fields, f.list.data, f.list.count * sizeof(*f.list.data));
    vec_free(&f.list);
    return status;
}
