/* SPDX-License-Identifier: Apache-2.0 */
/* An image as a file: one section for each array, its elements written member by member (no padding), then the codelet
 * modules, the target and the options.  What is read is checked by image_check before use. */
#include "base/container.h"
#include "base/error.h"
#include "image/check.h"
#include "image/image.h"
#include "popc/module/module.h"
#include "target/target.h"

#include <errno.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char magic[8] = "TREMEXE";
enum { VERSION = 12, SECTIONS = 82, COLUMNS = 16 };

/* A member of an array's elements. */
struct file_column {
    uint16_t offset, bytes;
};
/* An array of the image: where it is in struct image, and what its elements are made of (no columns: plain
 * numbers). */
struct file_array {
    char name[16];
    size_t offset; /* of the VEC in struct image */
    size_t element;
    struct file_column columns[COLUMNS];
};
#define C(type, member)                                                                                                \
    {                                                                                                                  \
        offsetof(type, member), sizeof(((type *)0)->member)                                                            \
    }
#define NO_COLUMNS                                                                                                     \
    {                                                                                                                  \
        {                                                                                                              \
            0, 0                                                                                                       \
        }                                                                                                              \
    }
#define PLAIN(name, member)                                                                                            \
    {                                                                                                                  \
        name, offsetof(struct image, member), sizeof(*((struct image *)0)->member.data), NO_COLUMNS                    \
    }
#define MODEL(name, member, ...)                                                                                       \
    {                                                                                                                  \
        name, offsetof(struct image, model.member), sizeof(*((struct image *)0)->model.member.data),                   \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }
#define ARRAY(member, ...)                                                                                             \
    {                                                                                                                  \
#member, offsetof(struct image, member), sizeof(*((struct image *)0)->member.data),                            \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

#define EXCHANGE                                                                                                       \
    C(struct model_exchange, name), C(struct model_exchange, flows), C(struct model_exchange, first_flow),             \
        C(struct model_exchange, from_host), C(struct model_exchange, to_host), C(struct model_exchange, instructions)
#define VERTICES                                                                                                       \
    C(struct model_vertices, of), C(struct model_vertices, tile), C(struct model_vertices, tiles),                     \
        C(struct model_vertices, code), C(struct model_vertices, copy_pointers),                                       \
        C(struct model_vertices, descriptors), C(struct model_vertices, edge_pointers),                                \
        C(struct model_vertices, padding), C(struct model_vertices, vertex_data)

static const struct file_array arrays[] = {
    ARRAY(senders, { 0, 0 }),
    ARRAY(strings, { 0, 0 }),
    ARRAY(codelets, C(struct image_codelet, module), C(struct image_codelet, index)),
    ARRAY(states, { 0, 0 }),
    ARRAY(groups, C(struct image_group, codelet), C(struct image_group, first_vertex_in_set),
          C(struct image_group, count), C(struct image_group, states), C(struct image_group, stride)),
    ARRAY(gathers, C(struct image_gather, vertex_in_set), C(struct image_gather, last_vertex),
          C(struct image_gather, before), C(struct image_gather, after), C(struct image_gather, scratch),
          C(struct image_gather, bytes)),
    ARRAY(sets, C(struct image_set, name), C(struct image_set, where_file), C(struct image_set, where_line),
          C(struct image_set, first_group), C(struct image_set, groups), C(struct image_set, first_gather),
          C(struct image_set, gathers), C(struct image_set, vertices), C(struct image_set, work),
          C(struct image_set, scratch_bytes), C(struct image_set, missing_estimate),
          C(struct image_set, first_vertex_id), C(struct image_set, first_vertex_tile), C(struct image_set, counted),
          C(struct image_set, model_set)),
    ARRAY(move_digits, C(struct image_digit, extent), C(struct image_digit, source),
          C(struct image_digit, destination)),
    ARRAY(move_shapes, C(struct image_move_shape, bytes), C(struct image_move_shape, first_digit),
          C(struct image_move_shape, digits)),
    ARRAY(moves, C(struct image_move, source), C(struct image_move, destination), C(struct image_move, source_high),
          C(struct image_move, destination_high), C(struct image_move, shape)),
    ARRAY(copies, C(struct image_copy, first_move), C(struct image_copy, bytes), C(struct image_copy, moves),
          C(struct image_copy, overlaps), C(struct image_copy, element_bytes)),
    ARRAY(ops, C(struct image_op, kind), C(struct image_op, a), C(struct image_op, b), C(struct image_op, c),
          C(struct image_op, d)),
    ARRAY(cases, C(struct image_case, value), C(struct image_case, target)),
    ARRAY(operands, C(struct image_operand, copy), C(struct image_operand, type), C(struct image_operand, elements)),
    ARRAY(dims, { 0, 0 }),
    /* The format is taken apart in format_columns. */
    ARRAY(prints, C(struct image_print, title), C(struct image_print, operand), C(struct image_print, first_dim),
          C(struct image_print, rank), C(struct image_print, metadata), C(struct image_print, format_given)),
    ARRAY(programs, { 0, 0 }),
    ARRAY(reads, C(struct image_handle, name), C(struct image_handle, copy), C(struct image_handle, bytes)),
    ARRAY(writes, C(struct image_handle, name), C(struct image_handle, copy), C(struct image_handle, bytes)),
    ARRAY(streams, C(struct image_stream, name), C(struct image_stream, type), C(struct image_stream, direction),
          C(struct image_stream, mode), C(struct image_stream, elements), C(struct image_stream, buffering_depth),
          C(struct image_stream, copies), C(struct image_stream, first_copy)),
    ARRAY(remotes, C(struct image_remote, name), C(struct image_remote, type), C(struct image_remote, elements),
          C(struct image_remote, repeats), C(struct image_remote, copies), C(struct image_remote, first_copy)),
    ARRAY(host_functions, C(struct image_host_function, name), C(struct image_host_function, first_argument),
          C(struct image_host_function, inputs), C(struct image_host_function, outputs)),
    ARRAY(arguments, C(struct image_argument, type), C(struct image_argument, elements)),
    ARRAY(initials, C(struct image_initial, offset), C(struct image_initial, data), C(struct image_initial, bytes),
          C(struct image_initial, times), C(struct image_initial, own)),
    ARRAY(data, { 0, 0 }),
    ARRAY(variables, C(struct image_variable, offset), C(struct image_variable, bytes), C(struct image_variable, name),
          C(struct image_variable, type)),
    ARRAY(vertex_ids, { 0, 0 }),
    ARRAY(vertex_tiles, { 0, 0 }),
    ARRAY(registers, C(struct image_registers, flags), C(struct image_registers, seeds),
          C(struct image_registers, tiles), C(struct image_registers, seed_words)),
    ARRAY(edge_bytes, { 0, 0 }),
    ARRAY(edge_first, { 0, 0 }),
    ARRAY(vertex_places, C(struct image_place, file), C(struct image_place, tile), C(struct image_place, line)),
    ARRAY(edge_addresses, { 0, 0 }),
    ARRAY(vertex_cycles, { 0, 0 }),
    MODEL("m.steps", steps, C(struct model_step, kind), C(struct model_step, detail), C(struct model_step, mark),
          C(struct model_step, name), C(struct model_step, index), C(struct model_step, first_child),
          C(struct model_step, children), C(struct model_step, program)),
    PLAIN("m.children", model.children),
    PLAIN("m.controls", model.controls),
    PLAIN("m.functions", model.functions),
    PLAIN("m.entry", model.entry),
    PLAIN("m.blocks", model.blocks),
    PLAIN("m.op_first", model.op_first),
    PLAIN("m.op_steps", model.op_steps),
    MODEL("m.types", types, C(struct model_type, name), C(struct model_type, state_bytes),
          C(struct model_type, estimate)),
    MODEL("m.sets", sets, C(struct model_set, name), C(struct model_set, missing_estimate), C(struct model_set, parts),
          C(struct model_set, shares), C(struct model_set, first_part), C(struct model_set, first_share),
          C(struct model_set, set)),
    MODEL("m.parts", parts, C(struct model_part, tile), C(struct model_part, tiles), C(struct model_part, cycles),
          C(struct model_part, active)),
    MODEL("m.shares", shares, C(struct model_share, type), C(struct model_share, vertices),
          C(struct model_share, active), C(struct model_share, flops)),
    MODEL("m.set_counts", counts, C(struct model_count, set), C(struct model_count, type), C(struct model_count, tile),
          C(struct model_count, tiles), C(struct model_count, vertices)),
    MODEL("m.vertices", vertices, C(struct model_vertex, set), C(struct model_vertex, type),
          C(struct model_vertex, cycles)),
    MODEL("m.exchanges", exchanges, EXCHANGE),
    MODEL("m.global", global_exchanges, EXCHANGE),
    MODEL("m.host", host_exchanges, EXCHANGE),
    MODEL("m.flows", flows, C(struct model_flow, tile), C(struct model_flow, tiles), C(struct model_flow, sent),
          C(struct model_flow, received), C(struct model_flow, cycles), C(struct model_flow, code_bytes),
          C(struct model_flow, packets)),
    PLAIN("m.counts", model.graph_counts),
    MODEL("m.metrics", metrics, C(struct model_metric, name), C(struct model_metric, value)),
    MODEL("m.tiles", tiles, C(struct model_tile, bytes), C(struct model_tile, with_gaps),
          C(struct model_tile, total_with_gaps), C(struct model_tile, always_live), C(struct model_tile, max_live)),
    MODEL("m.uses", uses, C(struct model_use, category), C(struct model_use, region), C(struct model_use, overlapped),
          C(struct model_use, tile), C(struct model_use, tiles), C(struct model_use, bytes)),
    MODEL("m.set_vertices", set_vertices, VERTICES),
    MODEL("m.type_vertices", type_vertices, VERTICES),
    MODEL("m.live", live, C(struct model_live, name), C(struct model_live, bytes)),
    MODEL("m.live_lists", live_lists, C(struct model_live_list, first), C(struct model_live_list, count),
          C(struct model_live_list, bytes)),
    PLAIN("m.step_live", model.step_live),
};
static const struct file_column format_columns[] = {
    C(struct image_print, format.summarise_threshold),
    C(struct image_print, format.edge_items),
    C(struct image_print, format.max_line_width),
    C(struct image_print, format.digits),
    C(struct image_print, format.float_format),
    C(struct image_print, format.separator),
    C(struct image_print, format.open),
    C(struct image_print, format.close),
    C(struct image_print, format.guide),
};
enum {
    ARRAYS = sizeof(arrays) / sizeof(arrays[0]),
    FORMAT_COLUMNS = sizeof(format_columns) / sizeof(format_columns[0])
};

/* Every VEC has this shape. */
typedef VEC(unsigned char) any_vec;

/* The columns of an array, format included; none for plain numbers. */
static size_t columns_of(const struct file_array *array, struct file_column *columns)
{
    size_t count = 0;
    while (count < COLUMNS && array->columns[count].bytes) {
        columns[count] = array->columns[count];
        ++count;
    }
    if (array->offset == offsetof(struct image, prints))
        for (size_t i = 0; i < FORMAT_COLUMNS; ++i)
            columns[count++] = format_columns[i];
    return count;
}

static any_vec vec_of(const struct file_array *array, const struct image *image)
{
    any_vec vec;
    memcpy(&vec, (const char *)image + array->offset, sizeof(vec));
    return vec;
}

/* How an array's elements are written: their columns (none: as they are in memory), and their bytes in a file. */
struct file_form {
    struct file_column columns[COLUMNS + FORMAT_COLUMNS];
    size_t count, packed;
};

static struct file_form form_of(const struct file_array *array)
{
    struct file_form form = { .packed = 0 };
    bool in_order = true;
    form.count = columns_of(array, form.columns);
    for (size_t c = 0; c < form.count; ++c) {
        in_order &= form.columns[c].offset == form.packed;
        form.packed += form.columns[c].bytes;
    }
    if (!form.count || (in_order && form.packed == array->element)) /* no padding */
        form.count = 0, form.packed = array->element;
    return form;
}

/* Takes an array's bytes in the file, part by part. */
typedef void (*put_function)(void *to, const void *data, size_t size);

static void write_array(put_function put, void *to, const struct file_array *array, const struct image *image)
{
    any_vec vec = vec_of(array, image);
    const struct file_form form = form_of(array);
    if (!form.count) {
        put(to, vec.data, vec.count * array->element);
        return;
    }
    unsigned char part[1 << 14];
    for (size_t i = 0; i < vec.count;) {
        unsigned char *at = part;
        for (; i < vec.count && at + form.packed <= part + sizeof(part); ++i)
            for (size_t c = 0; c < form.count; at += form.columns[c++].bytes)
                memcpy(at, vec.data + i * array->element + form.columns[c].offset, form.columns[c].bytes);
        put(to, part, (size_t)(at - part));
    }
}

static size_t array_bytes(const struct file_array *array, const struct image *image)
{
    return vec_of(array, image).count * form_of(array).packed;
}

/* Not inlined: gcc 12 warns of bounds that it misreads in XXH3_64bits_update of a known size. */
__attribute__((noinline)) static void put_hash(void *to, const void *data, size_t size)
{
    if (size)
        XXH3_64bits_update(to, data, size);
}

static bool is_part(const char *name, const char *const *parts, size_t count)
{
    for (size_t part = 0; part < count; ++part)
        if (strcmp(name, parts[part]) == 0)
            return true;
    return false;
}

/* Of the arrays with these names; parts NULL: of all. */
static uint64_t hash_of(const struct image *image, const char *const *parts, size_t count)
{
    XXH3_state_t hash;
    XXH3_64bits_reset(&hash);
    const uint64_t head[] = { image->replicas, image->storage_bytes };
    put_hash(&hash, head, sizeof(head));
    uint64_t end = sizeof(head);
    for (size_t i = 0; i < ARRAYS; ++i) {
        if (parts && !is_part(arrays[i].name, parts, count))
            continue;
        write_array(put_hash, &hash, &arrays[i], image);
        end += array_bytes(&arrays[i], image);
        put_hash(&hash, &end, sizeof(end)); /* where it ends */
        end += sizeof(end);
    }
    return XXH3_64bits_digest(&hash);
}

/* What a program does: not its names, its model, or what options of the engine add. */
uint64_t image_program_hash(const struct image *image)
{
    static const char *const parts[] = { "senders",     "states", "groups",   "gathers",  "move_digits",
                                         "move_shapes", "moves",  "copies",   "ops",      "cases",
                                         "operands",    "dims",   "programs", "initials", "data" };
    return hash_of(image, parts, sizeof(parts) / sizeof(parts[0]));
}

uint64_t image_hash(const struct image *image)
{
    return hash_of(image, NULL, 0);
}

/* Elements stay in the file's bytes when they are there as in memory; such an array has no capacity. */
static bool read_array(const unsigned char *data, size_t size, const struct file_array *array, struct image *image)
{
    const struct file_form form = form_of(array);
    if (size % form.packed)
        return false;
    any_vec vec = { .count = size / form.packed };
    if (vec.count && vec.count > SIZE_MAX / 2 / array->element)
        return false;
    if (!form.count && (uintptr_t)data % sizeof(uint64_t) == 0) {
        vec.data = size ? (unsigned char *)(uintptr_t)data : NULL;
    } else if (size) {
        vec.data = mem_zero(vec.count, array->element);
        vec.capacity = vec.count;
        if (!form.count && size)
            memcpy(vec.data, data, size);
    }
    for (size_t i = 0; i < (form.count ? vec.count : 0); ++i)
        for (size_t c = 0; c < form.count; data += form.columns[c++].bytes)
            memcpy(vec.data + i * array->element + form.columns[c].offset, data, form.columns[c].bytes);
    any_vec old = vec_of(array, image);
    free(old.data);
    memcpy((char *)image + array->offset, &vec, sizeof(vec));
    return true;
}

void image_file_close(struct image *image)
{
    static const any_vec none;
    if (!image->file.data)
        return;
    for (size_t i = 0; i < ARRAYS; ++i)
        if (!vec_of(&arrays[i], image).capacity)
            memcpy((char *)image + arrays[i].offset, &none, sizeof(none));
    file_view_close(&image->file);
}

static void write_head(struct bytes *out, const struct image *image)
{
    bytes_u64(out, image->storage_bytes);
    bytes_u64(out, image->scratch_bytes);
    bytes_u64(out, image->replicas);
    bytes_u64(out, image->device_ipus);
    struct str target = { 0 };
    target_add_text(&image->target, &target);
    bytes_string(out, str_text(&target));
    str_free(&target);
    bytes_string(out, image->name ? image->name : "");
    bytes_u64(out, image->options.set.count);
    for (size_t i = 0; i < image->options.set.count; ++i) {
        bytes_string(out, image->options.set.data[i].key);
        bytes_string(out, image->options.set.data[i].value);
    }
}

static pop_status read_options(struct container_reader *r, struct image *image, pop_error *error)
{
    pop_status status = POP_OK;
    for (uint64_t left = reader_count(r, 8); left && status == POP_OK; --left) {
        char *key = reader_string(r), *value = reader_string(r);
        pop_options one = { &(pop_option){ key, value }, 1 };
        if (!r->failed)
            status = options_apply(&image->options, "engine", one, NULL, NO_WHERE, NULL, error);
        free(key);
        free(value);
    }
    return status;
}

static pop_status read_head(struct container_reader *r, struct image *image, pop_error *error)
{
    image->storage_bytes = reader_u64(r);
    image->scratch_bytes = reader_u64(r);
    image->replicas = (uint32_t)reader_u64(r);
    image->device_ipus = (uint32_t)reader_u64(r);
    char *target = reader_string(r);
    pop_status status = r->failed ? POP_OK : pop_target_from_text(target, &image->target, error);
    free(target);
    image->name = reader_string(r);
    if (image->name && !*image->name) {
        free(image->name);
        image->name = NULL;
    }
    return status == POP_OK ? read_options(r, image, error) : status;
}

static bool write_modules(struct bytes *out, const struct image *image)
{
    bytes_u64(out, image->modules.count);
    for (size_t i = 0; i < image->modules.count; ++i) {
        char *data;
        size_t size;
        if (module_write(image->modules.data[i], &data, &size, NULL) != POP_OK)
            return false;
        bytes_string(out, image->modules.data[i]->name);
        bytes_u64(out, size);
        bytes_put(out, data, size);
        free(data);
    }
    return true;
}

static pop_status read_modules(struct container_reader *r, struct image *image, pop_error *error)
{
    pop_status status = POP_OK;
    for (uint64_t left = reader_count(r, 12); left && status == POP_OK && !r->failed; --left) {
        char *name = reader_string(r);
        uint64_t size = reader_count(r, 1);
        const void *data = reader_take(r, size);
        struct module *module = NULL;
        if (data && (status = module_read(name, data, size, &module, error)) == POP_OK)
            *vec_push(&image->modules) = module;
        free(name);
    }
    return status;
}

/* An image as a container: sections of arrays are made from it while they are written. */
struct image_content {
    struct bytes head, modules;
    struct container_section sections[ARRAYS + 2];
    struct container_content of;
};

static void put_container(void *to, const void *data, size_t size)
{
    container_put(to, data, size);
}

static void make_section(struct container_writer *writer, size_t section, const void *image)
{
    write_array(put_container, writer, &arrays[section - 2], image);
}

static bool begin_content(struct image_content *content, const struct image *image)
{
    *content = (struct image_content){ .head = { .v = { 0 } } };
    write_head(&content->head, image);
    if (!write_modules(&content->modules, image))
        return false;
    content->sections[0] = (struct container_section){ "head", content->head.v.data, content->head.v.count };
    content->sections[1] = (struct container_section){ "modules", content->modules.v.data, content->modules.v.count };
    for (size_t i = 0; i < ARRAYS; ++i) {
        memcpy(content->sections[i + 2].name, arrays[i].name, sizeof(arrays[i].name));
        content->sections[i + 2].size = array_bytes(&arrays[i], image);
    }
    content->of = (struct container_content){ magic, VERSION, content->sections, ARRAYS + 2, make_section, image };
    return true;
}

static void end_content(struct image_content *content)
{
    vec_free(&content->head.v);
    vec_free(&content->modules.v);
}

void image_write(const struct image *image, char **data, size_t *size)
{
    struct image_content content;
    *data = NULL;
    *size = 0;
    if (begin_content(&content, image)) {
        *size = container_bytes(content.sections, ARRAYS + 2);
        *data = mem_alloc(*size);
        container_fill(&content.of, *data);
    }
    end_content(&content);
}

bool image_put(const struct image *image, FILE *file)
{
    struct image_content content;
    errno = EINVAL; /* of a module that cannot be written */
    bool good = begin_content(&content, image) && container_write(&content.of, file);
    int reason = errno;
    end_content(&content);
    errno = reason;
    return good;
}

static pop_status damaged(const char *name, const char *section, pop_error *error)
{
    return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL,
                     "%s: executable is damaged: section '%s' does not have the bytes that it needs", name, section);
}

static pop_status read_all(const char *name, const struct container_section *sections, size_t count,
                           struct image *image, pop_error *error)
{
    size_t size;
    struct container_reader r = { .data = container_find(sections, count, "head", &size) };
    r.size = size;
    pop_status status = read_head(&r, image, error);
    if (status == POP_OK && (r.failed || r.at != r.size))
        return damaged(name, "head", error);
    if (status != POP_OK)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL,
                         "%s: executable is damaged: its target or its options are not valid", name);
    r = (struct container_reader){ .data = container_find(sections, count, "modules", &size) };
    r.size = size;
    if ((status = read_modules(&r, image, error)) != POP_OK)
        return status;
    if (r.failed || r.at != r.size)
        return damaged(name, "modules", error);
    for (size_t i = 0; i < ARRAYS; ++i) {
        const void *data = container_find(sections, count, arrays[i].name, &size);
        if (!data || !read_array(data, size, &arrays[i], image))
            return damaged(name, arrays[i].name, error);
    }
    return image_check(image, name, error);
}

pop_status image_open(const char *name, struct file_view *file, struct image **image, pop_error *error)
{
    struct container_section sections[SECTIONS];
    size_t count;
    *image = NULL;
    pop_status status =
        container_open(magic, VERSION, "executable", name, file->data, file->size, sections, SECTIONS, &count, error);
    if (status != POP_OK) {
        file_view_close(file);
        return status;
    }
    struct image *made = image_create();
    made->file = *file;
    *file = (struct file_view){ NULL, 0, false };
    status = read_all(name, sections, count, made, error);
    if (status == POP_OK)
        *image = made;
    else
        image_release(made);
    return status;
}

pop_status image_read(const char *name, const void *data, size_t size, struct image **image, pop_error *error)
{
    struct file_view copy = { mem_copy(data, size), size, false };
    return image_open(name, &copy, image, error);
}
