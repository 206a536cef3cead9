/* SPDX-License-Identifier: Apache-2.0 */
/* Heads, types and descriptions of blobs. */
#include "popef/format.h"

#include <poplar/text.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const kind_names[POPEF_KINDS] = { NULL, "metadata", "executable", "opaque", "tensor", "feed" };

const char *popef_kind_name(popef_kind kind)
{
    return kind > 0 && kind < POPEF_KINDS ? kind_names[kind] : NULL;
}

size_t popef_type_bytes(const char *type)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = { { "BOOL", 1 },   { "S8", 1 },  { "U8", 1 },  { "S16", 2 }, { "U16", 2 },
                  { "S32", 4 },    { "U32", 4 }, { "S64", 8 }, { "U64", 8 }, { "F8_143", 1 },
                  { "F8_152", 1 }, { "F16", 2 }, { "F32", 4 }, { "F64", 8 } };
    for (size_t i = 0; type && i < sizeof(types) / sizeof(types[0]); ++i)
        if (strcmp(types[i].name, type) == 0)
            return types[i].bytes;
    return 0;
}

/* ---- numbers, least byte first ---- */

static void put_number(unsigned char *at, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; ++i)
        at[i] = (unsigned char)(number >> (8 * i));
}

static uint64_t get_number(const unsigned char *at, int bytes)
{
    uint64_t number = 0;
    for (int i = 0; i < bytes; ++i)
        number |= (uint64_t)at[i] << (8 * i);
    return number;
}

void format_put_head(unsigned char *block, const struct blob_head *head)
{
    memset(block, 0, BLOCK);
    put_number(block, head->kind, 4);
    put_number(block + 4, head->description, 4);
    put_number(block + 8, head->size, 8);
}

struct blob_head format_get_head(const unsigned char *block)
{
    return (struct blob_head){ (uint32_t)get_number(block, 4), (uint32_t)get_number(block + 4, 4),
                               get_number(block + 8, 8) };
}

uint64_t format_blocks(uint64_t size)
{
    return (size + BLOCK - 1) / BLOCK * BLOCK;
}

/* ---- descriptions ---- */

static bool has_text(const pop_profile_value *description, const char *key, char *why, size_t why_size)
{
    const pop_profile_value *value = pop_profile_get(description, key);
    bool there = value && value->type == POP_PROFILE_STRING;
    if (!there)
        snprintf(why, why_size, "its description has no text \"%s\"", key);
    return there;
}

static bool is_size(const pop_profile_value *value)
{
    return value && (value->type == POP_PROFILE_UINT || (value->type == POP_PROFILE_INT && value->as.integer >= 0));
}

/* Multiplies *bytes by a size; false if the product is too large. */
static bool multiply(uint64_t *bytes, const pop_profile_value *size)
{
    return is_size(size) && !__builtin_mul_overflow(*bytes, pop_profile_as_uint(size), bytes);
}

/* The bytes that a tensor's description needs; false with the reason. */
static bool tensor_bytes(const pop_profile_value *description, uint64_t *bytes, char *why, size_t why_size)
{
    const char *type = pop_profile_as_string(pop_profile_get(description, "type"));
    const pop_profile_value *shape = pop_profile_get(description, "shape");
    *bytes = popef_type_bytes(type);
    if (!*bytes) {
        snprintf(why, why_size,
                 "its type is '%.32s', it must be one of BOOL, S8, U8, S16, U16, S32, U32, S64, U64, F8_143, "
                 "F8_152, F16, F32 and F64",
                 type);
        return false;
    }
    bool good = shape && shape->type == POP_PROFILE_VECTOR;
    for (size_t i = 0; good && i < pop_profile_size(shape); ++i)
        good = multiply(bytes, pop_profile_at(shape, i));
    if (!good)
        snprintf(why, why_size, "its shape is no list of sizes whose product fits in 64 bits");
    return good;
}

static bool check_tensor(popef_kind kind, const pop_profile_value *description, uint64_t size, char *why,
                         size_t why_size)
{
    uint64_t bytes = 0;
    if (!tensor_bytes(description, &bytes, why, why_size))
        return false;
    if (kind == POPEF_FEED && !multiply(&bytes, pop_profile_get(description, "tensors"))) {
        snprintf(why, why_size, "its number of \"tensors\" is missing, or too large");
        return false;
    }
    if (bytes != size)
        snprintf(why, why_size, "it has %llu bytes, its type and shape need %llu", (unsigned long long)size,
                 (unsigned long long)bytes);
    return bytes == size;
}

bool format_check(popef_kind kind, const pop_profile_value *description, uint64_t size, char *why, size_t why_size)
{
    if (!description || description->type != POP_PROFILE_MAP) {
        snprintf(why, why_size, "its description is no map");
        return false;
    }
    if (kind == POPEF_METADATA && size) {
        snprintf(why, why_size, "metadata with %llu bytes, it has a description alone", (unsigned long long)size);
        return false;
    }
    if (kind == POPEF_METADATA || kind == POPEF_OPAQUE)
        if (!has_text(description, "executable", why, why_size))
            return false;
    if (kind != POPEF_METADATA && !has_text(description, "name", why, why_size))
        return false;
    return (kind != POPEF_TENSOR && kind != POPEF_FEED) || check_tensor(kind, description, size, why, why_size);
}

pop_status format_fail(pop_error *error, pop_status status, const char *api, const char *format, ...)
{
    if (!error)
        return status;
    *error = (pop_error){ .status = status };
    snprintf(error->api, sizeof(error->api), "%s", api);
    va_list list;
    va_start(list, format);
    pop_text_vformat(error->text, sizeof(error->text), format, list);
    va_end(list);
    return status;
}
