/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of tensors as a container: sections "variables" and "tensors". */
#include "graph/saved/saved.h"

static const char magic[8] = "TREMTENS";
enum { VERSION = 1 };

enum { CONSTANT = 1, FOLLOWS_VERTEX = 2, FILL = 4 };

static void write_variable(struct bytes *out, const struct saved_variable *v)
{
    bytes_string(out, v->name);
    bytes_u8(out, v->type);
    bytes_u8(out,
             (uint8_t)((v->constant ? CONSTANT : 0) | (v->follows_vertex ? FOLLOWS_VERTEX : 0) | (v->fill ? FILL : 0)));
    bytes_u64(out, v->elements);
    bytes_u64(out, v->contents.count);
    bytes_put(out, v->contents.data, v->contents.count);
    bytes_u64(out, v->ranges.count);
    for (size_t i = 0; i < v->ranges.count; ++i) {
        bytes_u64(out, v->ranges.data[i].begin);
        bytes_u64(out, v->ranges.data[i].end);
        bytes_u32(out, v->ranges.data[i].tile);
    }
}

static void write_tensor(struct bytes *out, const struct saved_tensor *t)
{
    bytes_u8(out, t->type);
    bytes_u64(out, t->shape.count);
    for (size_t i = 0; i < t->shape.count; ++i)
        bytes_u64(out, t->shape.data[i]);
    bytes_u64(out, t->pieces.count);
    for (size_t i = 0; i < t->pieces.count; ++i) {
        bytes_u32(out, t->pieces.data[i].variable);
        bytes_u32(out, t->pieces.data[i].digits);
        bytes_u64(out, t->pieces.data[i].offset);
    }
    bytes_u64(out, t->digits.count);
    for (size_t i = 0; i < t->digits.count; ++i) {
        bytes_u64(out, t->digits.data[i].extent);
        bytes_u64(out, (uint64_t)t->digits.data[i].stride);
    }
}

void saved_write_binary(const struct saved *layout, char **file, size_t *size)
{
    struct bytes variables = { 0 }, tensors = { 0 };
    bytes_u64(&variables, layout->variables.count);
    for (size_t i = 0; i < layout->variables.count; ++i)
        write_variable(&variables, &layout->variables.data[i]);
    bytes_u64(&tensors, layout->tensors.count);
    for (size_t i = 0; i < layout->tensors.count; ++i)
        write_tensor(&tensors, &layout->tensors.data[i]);
    const struct container_section sections[] = {
        { "variables", variables.v.data, variables.v.count },
        { "tensors", tensors.v.data, tensors.v.count },
    };
    container_build(magic, VERSION, sections, 2, file, size);
    vec_free(&variables.v);
    vec_free(&tensors.v);
}

static void read_variable(struct container_reader *in, struct saved *layout)
{
    struct saved_variable *v = saved_add_variable(layout);
    v->name = reader_string(in);
    v->type = reader_u8(in);
    uint8_t flags = reader_u8(in);
    v->constant = flags & CONSTANT;
    v->follows_vertex = flags & FOLLOWS_VERTEX;
    v->fill = flags & FILL;
    v->elements = reader_u64(in);
    size_t bytes = (size_t)reader_count(in, 1);
    const void *contents = reader_take(in, bytes);
    if (contents && bytes)
        memcpy(vec_extend(&v->contents, bytes), contents, bytes);
    uint64_t ranges = reader_count(in, 20);
    for (uint64_t i = 0; i < ranges; ++i) {
        struct tile_range *range = vec_push(&v->ranges);
        range->begin = reader_u64(in);
        range->end = reader_u64(in);
        range->tile = reader_u32(in);
    }
}

static void read_tensor(struct container_reader *in, struct saved *layout)
{
    struct saved_tensor *t = saved_add_tensor(layout);
    t->type = reader_u8(in);
    uint64_t rank = reader_count(in, 8);
    for (uint64_t i = 0; i < rank; ++i)
        *vec_push(&t->shape) = (size_t)reader_u64(in);
    uint64_t pieces = reader_count(in, 16);
    for (uint64_t i = 0; i < pieces; ++i) {
        struct saved_piece *piece = vec_push(&t->pieces);
        piece->variable = reader_u32(in);
        piece->digits = reader_u32(in);
        piece->offset = reader_u64(in);
    }
    uint64_t digits = reader_count(in, 16);
    for (uint64_t i = 0; i < digits; ++i) {
        struct digit *digit = vec_push(&t->digits);
        digit->extent = reader_u64(in);
        digit->stride = (int64_t)reader_u64(in);
    }
}

bool saved_read_binary(const char *data, size_t size, struct saved *layout, pop_error *error)
{
    struct container_section sections[4];
    size_t count;
    if (container_open(magic, VERSION, "tensor layout", "the file", data, size, sections, 4, &count, error) != POP_OK)
        return false;
    struct container_reader variables = { 0 }, tensors = { 0 };
    variables.data = container_find(sections, count, "variables", &variables.size);
    tensors.data = container_find(sections, count, "tensors", &tensors.size);
    uint64_t n = reader_count(&variables, 30);
    for (uint64_t i = 0; i < n && !variables.failed; ++i)
        read_variable(&variables, layout);
    n = reader_count(&tensors, 25);
    for (uint64_t i = 0; i < n && !tensors.failed; ++i)
        read_tensor(&tensors, layout);
    if (!variables.failed && !tensors.failed)
        return true;
    error_set(error, POP_PARSE_ERROR, NO_WHERE, NULL, "a section of the file ends before its contents do");
    return false;
}
