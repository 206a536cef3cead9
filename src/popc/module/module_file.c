/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing modules as .gp files. */
#include "popc/module/device_code.h"
#include "popc/module/machine.h"
#include "popc/module/module.h"

#include "base/container.h"
#include "base/error.h"

static const char magic[8] = { 'T', 'R', 'M', 'C', 'O', 'D', 'E', '\n' };
/* Sections "devices" (present only when code was measured), "uses", "counted", "stacks", "external", "tiles" and
 * "shares" may be missing. */
enum { SECTIONS = 10, MAX_BYTES = 1 << 30, FIELD_BYTES = 30, CODELET_BYTES = 37 };

#define AS_BEFORE UINT64_MAX /* the size of code that is that of the device before */

/* ---- writing ---- */

static void write_field(struct bytes *out, const struct codelet_field *field)
{
    bytes_string(out, field->name);
    const uint8_t small[] = { field->direction,    field->shape,    field->type,           field->layout,
                              field->inner_layout, field->has_size, field->inner_has_size, field->interleaved };
    bytes_put(out, small, sizeof(small));
    bytes_u32(out, field->alignment);
    bytes_u32(out, field->offset);
    bytes_u32(out, field->bytes);
    bytes_u32(out, field->inner_stride);
}

static void write_codelet(struct bytes *out, const struct codelet *codelet)
{
    bytes_string(out, codelet->name);
    bytes_string(out, codelet->symbol);
    bytes_u32(out, codelet->object);
    bytes_u8(out, codelet->kind);
    bytes_u32(out, codelet->state_bytes);
    bytes_u32(out, codelet->state_alignment);
    bytes_put(out, codelet->defaults, codelet->state_bytes);
    bytes_u64(out, codelet->field_count);
    for (uint32_t i = 0; i < codelet->field_count; ++i)
        write_field(out, codelet->fields + i);
    bytes_u64(out, codelet->constraint_count);
    for (uint32_t i = 0; i < codelet->constraint_count; ++i)
        bytes_string(out, codelet->constraints[i]);
}

/* For each architecture: whether it has code sizes, then those of all codelets. */
static void write_devices(struct bytes *out, const struct module *module)
{
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch) {
        const struct device_code *codes = module->devices[arch];
        bytes_u8(out, codes != NULL);
        for (uint32_t i = 0; codes && i < module->codelet_count; ++i) {
            bytes_u32(out, codes[i].bytes);
            bytes_u32(out, codes[i].shared_bytes);
            bytes_u32(out, codes[i].data_bytes);
            bytes_u8(out, codes[i].estimated);
            bytes_string(out, codes[i].reason);
        }
    }
}

/* Writes the stacks in the same order; NO_STACK where the size is not known. */
#define NO_STACK UINT32_MAX
static void write_stacks(struct bytes *out, const struct module *module)
{
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch)
        for (uint32_t i = 0; module->devices[arch] && i < module->codelet_count; ++i) {
            const struct device_code *code = &module->devices[arch][i];
            bytes_u32(out, code->stack_measured ? code->stack_bytes : NO_STACK);
        }
}

/* Writes the objects one after another, empty ones as size 0; false when all are empty. */
static bool write_counted(struct bytes *out, const struct module *module)
{
    bool any = false;
    for (uint32_t i = 0; i < module->object_count; ++i) {
        const struct module_object *object = module->objects + i;
        any |= object->counted_size != 0;
        bytes_u64(out, object->counted_size);
        if (object->counted_size)
            bytes_put(out, object->counted, object->counted_size);
    }
    return any;
}

/* A byte for each codelet; false when none is external. */
static bool write_external(struct bytes *out, const struct module *module)
{
    bool any = false;
    for (uint32_t i = 0; i < module->codelet_count; ++i) {
        bytes_u8(out, module->codelets[i].external);
        any |= module->codelets[i].external;
    }
    return any;
}

enum { SHARES = 1, ASKS_TILE = 2, ASSEMBLES = 4 };
/* A byte with these bits, the name of its source and its code for each device (size, bytes) for each object; false when
 * none has a bit. */
static bool write_shares(struct bytes *out, const struct module *module)
{
    bool any = false;
    for (uint32_t i = 0; i < module->object_count; ++i) {
        uint8_t bits =
            (uint8_t)((module->objects[i].shares ? SHARES : 0) | (module->objects[i].asks_tile ? ASKS_TILE : 0) |
                      (module->objects[i].assembles ? ASSEMBLES : 0));
        bytes_u8(out, bits);
        bytes_string(out, module->objects[i].source);
        for (int arch = 0; arch < DEVICE_ARCHS; ++arch) {
            const struct module_code *code = module->objects[i].measured + arch;
            bool again = arch && code->size && code->data == code[-1].data;
            bytes_u64(out, again ? AS_BEFORE : code->size);
            if (!again)
                bytes_put(out, code->data, code->size);
        }
        any |= bits != 0;
    }
    return any;
}

static void write_tiles(struct bytes *out, const struct module *module)
{
    bytes_u64(out, module->tile_count);
    for (uint32_t i = 0; i < module->tile_count; ++i) {
        const struct module_tile *tile = module->tiles + i;
        bytes_u8(out, tile->arch);
        bytes_string(out, tile->refused);
        bytes_u64(out, tile->size);
        bytes_put(out, tile->data, tile->size);
    }
}

pop_status module_write(const struct module *module, char **data, size_t *size, pop_error *error)
{
    (void)error; /* the signature is that of the other writers; this one cannot fail */
    struct bytes head = { 0 }, codelets = { 0 }, objects = { 0 }, devices = { 0 }, stacks = { 0 }, counted = { 0 },
                 external = { 0 }, tiles = { 0 }, shares = { 0 };
    bytes_u32(&head, module->level);
    bytes_u64(&head, module->object_count);
    for (uint32_t i = 0; i < module->object_count; ++i) {
        bytes_u64(&head, module->objects[i].size);
        bytes_put(&objects, module->objects[i].data, module->objects[i].size);
    }
    bytes_u64(&codelets, module->codelet_count);
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        write_codelet(&codelets, module->codelets + i);
    bool any = false;
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch)
        any |= module->devices[arch] != NULL;
    if (any) {
        write_devices(&devices, module);
        write_stacks(&stacks, module);
    }
    struct container_section sections[SECTIONS] = { { "head", head.v.data, head.v.count },
                                                    { "codelets", codelets.v.data, codelets.v.count },
                                                    { "objects", objects.v.data, objects.v.count },
                                                    { "uses", module->uses, module->uses ? strlen(module->uses) : 0 } };
    size_t count = 4;
    if (any) {
        sections[count++] = (struct container_section){ "devices", devices.v.data, devices.v.count };
        sections[count++] = (struct container_section){ "stacks", stacks.v.data, stacks.v.count };
    }
    if (write_counted(&counted, module))
        sections[count++] = (struct container_section){ "counted", counted.v.data, counted.v.count };
    if (write_external(&external, module))
        sections[count++] = (struct container_section){ "external", external.v.data, external.v.count };
    if (module->tile_count) {
        write_tiles(&tiles, module);
        sections[count++] = (struct container_section){ "tiles", tiles.v.data, tiles.v.count };
    }
    if (write_shares(&shares, module))
        sections[count++] = (struct container_section){ "shares", shares.v.data, shares.v.count };
    container_build(magic, MODULE_VERSION, sections, count, data, size);
    vec_free(&shares.v);
    vec_free(&external.v);
    vec_free(&tiles.v);
    vec_free(&counted.v);
    vec_free(&head.v);
    vec_free(&codelets.v);
    vec_free(&objects.v);
    vec_free(&devices.v);
    vec_free(&stacks.v);
    return POP_OK;
}

/* ---- reading: everything is checked before use ---- */

static const char *read_name(struct container_reader *r, struct arena *arena)
{
    char *text = reader_string(r);
    const char *name = arena_string(arena, text);
    free(text);
    return name;
}

static bool power_of_two(uint32_t value)
{
    return value && !(value & (value - 1));
}

static bool plausible_field(const struct codelet_field *f, uint32_t state_bytes)
{
    bool table = field_has_table(f);
    bool plain = f->direction == FIELD_STATE && f->shape == SHAPE_SCALAR;
    bool edges = f->shape == SHAPE_VECTOR_LIST || f->shape == SHAPE_SCALARS;
    if (!f->name[0] || f->direction > FIELD_INOUT || f->shape > SHAPE_SCALARS || (edges && f->direction == FIELD_STATE))
        return false;
    if (!pop_type_is_supported((pop_type)f->type) || f->layout > LAYOUT_COMPACT_PTR || !power_of_two(f->alignment))
        return false;
    if (f->inner_layout > (f->shape == SHAPE_VECTOR_LIST ? (int)LIST_COMPACT_DELTAN : (int)LAYOUT_COMPACT_PTR))
        return false;
    uint32_t holder = plain ? (uint32_t)pop_type_size((pop_type)f->type) : pointer_bytes(f->has_size);
    uint32_t entry = table ? pointer_bytes(f->inner_has_size) : 0;
    return f->bytes == holder && f->inner_stride == entry && f->bytes <= state_bytes &&
           f->offset <= state_bytes - f->bytes;
}

/* Whether no two fields share a byte of the state. */
static bool fields_disjoint(const struct codelet *codelet)
{
    bool *taken = mem_zero(codelet->state_bytes, sizeof(*taken)), apart = true;
    for (uint32_t i = 0; i < codelet->field_count && apart; ++i)
        for (uint32_t at = codelet->fields[i].offset;
             at < codelet->fields[i].offset + codelet->fields[i].bytes && apart; ++at) {
            apart = !taken[at];
            taken[at] = true;
        }
    free(taken);
    return apart;
}

static bool read_fields(struct container_reader *r, struct codelet *codelet, struct arena *arena)
{
    codelet->field_count = (uint32_t)reader_count(r, FIELD_BYTES - 2);
    if (codelet->field_count > UINT16_MAX) { /* edges store the field's index in 16 bits */
        r->failed = true;
        codelet->field_count = 0;
    }
    codelet->fields = arena_alloc(arena, codelet->field_count * sizeof(*codelet->fields));
    for (uint32_t i = 0; i < codelet->field_count && !r->failed; ++i) {
        struct codelet_field *field = codelet->fields + i;
        *field = (struct codelet_field){ .name = read_name(r, arena), .direction = reader_u8(r) };
        field->shape = reader_u8(r);
        field->type = reader_u8(r);
        field->layout = reader_u8(r);
        field->inner_layout = reader_u8(r);
        field->has_size = reader_u8(r) != 0;
        field->inner_has_size = reader_u8(r) != 0;
        field->interleaved = reader_u8(r) != 0;
        field->alignment = reader_u32(r);
        field->offset = reader_u32(r);
        field->bytes = reader_u32(r);
        field->inner_stride = reader_u32(r);
        if (!plausible_field(field, codelet->state_bytes))
            return false;
    }
    return !r->failed && fields_disjoint(codelet);
}

static bool read_codelet(struct container_reader *r, struct codelet *codelet, struct module *module)
{
    struct arena *arena = &module->arena;
    *codelet = (struct codelet){ .name = read_name(r, arena), .module = module };
    codelet->symbol = read_name(r, arena);
    codelet->object = reader_u32(r);
    codelet->kind = reader_u8(r);
    codelet->state_bytes = reader_u32(r);
    codelet->state_alignment = reader_u32(r);
    const void *defaults = reader_take(r, codelet->state_bytes);
    if (!defaults || !codelet->name[0] || !codelet->symbol[0] || codelet->object >= module->object_count)
        return false;
    if (codelet->kind > VERTEX_MULTI || !codelet->state_bytes || !power_of_two(codelet->state_alignment))
        return false;
    codelet->defaults = memcpy(arena_alloc(arena, codelet->state_bytes), defaults, codelet->state_bytes);
    if (!read_fields(r, codelet, arena))
        return false;
    codelet->constraint_count = (uint32_t)reader_count(r, 4);
    codelet->constraints = arena_alloc(arena, codelet->constraint_count * sizeof(*codelet->constraints));
    for (uint32_t i = 0; i < codelet->constraint_count; ++i)
        codelet->constraints[i] = read_name(r, arena);
    return !r->failed;
}

static bool read_objects(struct container_reader *head, struct container_reader *objects, struct module *module)
{
    module->level = reader_u32(head);
    uint64_t count = reader_count(head, 8);
    module->objects = arena_alloc(&module->arena, count * sizeof(*module->objects));
    for (uint64_t i = 0; i < count; ++i) {
        uint64_t size = reader_u64(head);
        const void *data = size < MAX_BYTES ? reader_take(objects, size) : NULL;
        if (!data || size < 4 || memcmp(data, "\177ELF", 4) != 0)
            return false;
        void *copy = memcpy(arena_alloc(&module->arena, size), data, size);
        module->objects[module->object_count++] =
            (struct module_object){ .data = copy, .size = size, .source = module->name };
    }
    return !head->failed && head->at == head->size && objects->at == objects->size && module->level > LEVEL_NONE &&
           module->level < LEVELS;
}

static bool read_codelets(struct container_reader *r, struct module *module)
{
    uint64_t count = reader_count(r, CODELET_BYTES);
    module->codelets = arena_alloc(&module->arena, count * sizeof(*module->codelets));
    for (uint64_t i = 0; i < count; ++i) {
        if (!read_codelet(r, module->codelets + i, module))
            return false;
        ++module->codelet_count;
    }
    return !r->failed && r->at == r->size;
}

static bool read_device_code(struct container_reader *r, struct device_code *code, struct arena *arena)
{
    *code = (struct device_code){ .bytes = reader_u32(r) };
    code->shared_bytes = reader_u32(r);
    code->data_bytes = reader_u32(r);
    uint8_t estimated = reader_u8(r);
    code->estimated = estimated != 0;
    code->reason = read_name(r, arena);
    return !r->failed && estimated <= 1 && code->estimated == (code->reason[0] != 0) &&
           (code->bytes || code->estimated);
}

static bool read_devices(struct container_reader *r, struct module *module)
{
    if (!r->data)
        return true; /* not compiled for any device */
    for (int arch = 0; arch < DEVICE_ARCHS; ++arch) {
        uint8_t there = reader_u8(r);
        if (there > 1)
            return false;
        if (!there)
            continue;
        module->devices[arch] = arena_alloc(&module->arena, module->codelet_count * sizeof(*module->devices[arch]));
        for (uint32_t i = 0; i < module->codelet_count; ++i)
            if (!read_device_code(r, module->devices[arch] + i, &module->arena))
                return false;
    }
    return !r->failed && r->at == r->size;
}

/* A file without them is older: no stack is known. */
static bool read_stacks(struct container_reader *r, struct module *module)
{
    for (int arch = 0; r->data && arch < DEVICE_ARCHS; ++arch)
        for (uint32_t i = 0; module->devices[arch] && i < module->codelet_count; ++i) {
            uint32_t bytes = reader_u32(r);
            module->devices[arch][i].stack_measured = bytes != NO_STACK;
            module->devices[arch][i].stack_bytes = bytes != NO_STACK ? bytes : 0;
        }
    return !r->failed && r->at == r->size;
}

static bool read_counted(struct container_reader *r, struct module *module)
{
    for (uint32_t i = 0; r->data && i < module->object_count; ++i) {
        struct module_object *object = module->objects + i;
        uint64_t size = reader_u64(r);
        const void *data = size && size < MAX_BYTES ? reader_take(r, size) : NULL;
        if (size && !data)
            return false;
        object->counted = size ? memcpy(arena_alloc(&module->arena, size), data, size) : NULL;
        object->counted_size = size;
    }
    return !r->failed && r->at == r->size;
}

static bool read_external(struct container_reader *r, struct module *module)
{
    for (uint32_t i = 0; r->data && i < module->codelet_count; ++i)
        module->codelets[i].external = reader_u8(r) != 0;
    return !r->failed && r->at == r->size;
}

static void read_code(struct container_reader *r, struct module *module, struct module_code *codes, int arch)
{
    uint64_t size = reader_u64(r);
    if (size == AS_BEFORE && arch) {
        codes[arch] = codes[arch - 1];
        return;
    }
    const void *data = size && size < MAX_BYTES ? reader_take(r, size) : NULL;
    r->failed |= size && !data;
    if (data)
        codes[arch] = (struct module_code){ memcpy(arena_alloc(&module->arena, size), data, size), size };
}

static bool read_shares(struct container_reader *r, struct module *module)
{
    for (uint32_t i = 0; r->data && i < module->object_count; ++i) {
        uint8_t bits = reader_u8(r);
        module->objects[i].shares = bits & SHARES;
        module->objects[i].asks_tile = bits & ASKS_TILE;
        module->objects[i].assembles = bits & ASSEMBLES;
        module->objects[i].source = read_name(r, &module->arena);
        for (int arch = 0; arch < DEVICE_ARCHS; ++arch)
            read_code(r, module, module->objects[i].measured, arch);
    }
    return !r->failed && r->at == r->size;
}

/* The objects themselves are checked where they are linked. */
static bool read_tiles(struct container_reader *r, struct module *module)
{
    uint64_t count = r->data ? reader_count(r, 13) : 0;
    module->tiles = arena_zero(&module->arena, count, sizeof(*module->tiles));
    for (uint64_t i = 0; i < count && !r->failed; ++i) {
        struct module_tile *tile = &module->tiles[module->tile_count++];
        tile->arch = reader_u8(r);
        tile->refused = read_name(r, &module->arena);
        tile->size = reader_u64(r);
        const void *data = tile->size < MAX_BYTES ? reader_take(r, tile->size) : NULL;
        if (tile->arch >= DEVICE_ARCHS || (tile->size && !data))
            return false;
        tile->data = tile->size ? memcpy(arena_alloc(&module->arena, tile->size), data, tile->size) : NULL;
    }
    return !r->failed && r->at == r->size;
}

pop_status module_read(const char *name, const void *data, size_t size, struct module **module, pop_error *error)
{
    *module = NULL;
    struct container_section sections[SECTIONS];
    size_t count;
    pop_status status =
        container_open(magic, MODULE_VERSION, "codelet file", name, data, size, sections, SECTIONS, &count, error);
    if (status != POP_OK)
        return status;
    struct module *made = module_create(name, 1);
    struct container_reader head = { 0 }, codelets = { 0 }, objects = { 0 }, devices = { 0 }, stacks = { 0 },
                            counted = { 0 }, external = { 0 }, tiles = { 0 }, shares = { 0 };
    head.data = container_find(sections, count, "head", &head.size);
    codelets.data = container_find(sections, count, "codelets", &codelets.size);
    objects.data = container_find(sections, count, "objects", &objects.size);
    devices.data = container_find(sections, count, "devices", &devices.size);
    stacks.data = container_find(sections, count, "stacks", &stacks.size);
    counted.data = container_find(sections, count, "counted", &counted.size);
    external.data = container_find(sections, count, "external", &external.size);
    tiles.data = container_find(sections, count, "tiles", &tiles.size);
    shares.data = container_find(sections, count, "shares", &shares.size);
    size_t uses_size = 0;
    const char *uses = container_find(sections, count, "uses", &uses_size);
    if (uses_size) {
        char *copy = arena_alloc(&made->arena, uses_size + 1);
        memcpy(copy, uses, uses_size);
        copy[uses_size] = 0;
        made->uses = copy;
    }
    if (!read_objects(&head, &objects, made) || !read_codelets(&codelets, made) || !read_devices(&devices, made) ||
        !read_stacks(&stacks, made) || !read_counted(&counted, made) || !read_external(&external, made) ||
        !read_tiles(&tiles, made) || !read_shares(&shares, made)) {
        module_release(made);
        return error_set(error, POP_GRAPH_OBJECT_LOAD_ERROR, NO_WHERE, NULL,
                         "codelet file '%s' is damaged: its description of vertex types does not fit", name);
    }
    *module = made;
    return POP_OK;
}
