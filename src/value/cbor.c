/* SPDX-License-Identifier: Apache-2.0 */
/* Profile values as CBOR, through libcbor's streaming encoder and decoder. */
#include "base/error.h"
#include "base/utf8.h"
#include "value/made.h"
#include "value/output.h"
#include "value/value.h"

#include <cbor.h>

/* Encodes an item into a buffer and writes it. */
#define ENCODE(out, encoder, value)                                                                                    \
    do {                                                                                                               \
        unsigned char head_[16];                                                                                       \
        output_put(out, head_, encoder(value, head_, sizeof(head_)));                                                  \
    } while (0)

static size_t encode_null(int unused, unsigned char *buffer, size_t size)
{
    (void)unused;
    return cbor_encode_null(buffer, size);
}

static void write_text(struct output *out, const char *text)
{
    size_t length = strlen(text);
    struct str escaped = { 0 };
    if (utf8_span(text, length) < length) { /* the type of a text in CBOR is UTF-8 */
        utf8_escape(&escaped, text, length);
        text = escaped.text;
        length = escaped.length;
    }
    ENCODE(out, cbor_encode_string_start, length);
    output_put(out, text, length);
    str_free(&escaped);
}

static void write_value(struct output *out, const pop_profile_value *value);

static void write_vector(struct output *out, const pop_profile_value *vector)
{
    size_t size = pop_profile_size(vector);
    ENCODE(out, cbor_encode_array_start, size);
    struct profile_reader reader = { .vector = vector };
    for (size_t i = 0, run; i < size; i += run) {
        const pop_profile_value *item = profile_read(&reader, i);
        unsigned char number[16];
        run = profile_run(vector, i);
        if (run == 1)
            write_value(out, item);
        else /* only numbers are held as runs */
            output_repeat(out, number, cbor_encode_uint(item->as.natural, number, sizeof(number)), run);
    }
    profile_reader_end(&reader);
}

static void write_value(struct output *out, const pop_profile_value *value)
{
    switch (value->type) {
    case POP_PROFILE_NULL:
        ENCODE(out, encode_null, 0);
        break;
    case POP_PROFILE_BOOL:
        ENCODE(out, cbor_encode_bool, value->as.boolean);
        break;
    case POP_PROFILE_INT:
        if (value->as.integer < 0)
            ENCODE(out, cbor_encode_negint, ~(uint64_t)value->as.integer);
        else
            ENCODE(out, cbor_encode_uint, (uint64_t)value->as.integer);
        break;
    case POP_PROFILE_UINT:
        ENCODE(out, cbor_encode_uint, value->as.natural);
        break;
    case POP_PROFILE_DOUBLE:
        ENCODE(out, cbor_encode_double, value->as.real);
        break;
    case POP_PROFILE_STRING:
        write_text(out, value->as.string);
        break;
    case POP_PROFILE_VECTOR:
        write_vector(out, value);
        break;
    case POP_PROFILE_MAP:
        ENCODE(out, cbor_encode_map_start, pop_profile_size(value));
        for (size_t i = 0; i < pop_profile_size(value); ++i) {
            write_text(out, pop_profile_key(value, i));
            write_value(out, pop_profile_item(value, i));
        }
        break;
    }
}

bool pop_profile_write_cbor(FILE *file, const pop_profile_value *value)
{
    static const pop_profile_value nothing;
    struct output *out = MEM_NEW(struct output);
    out->file = file;
    write_value(out, value ? value : &nothing);
    bool good = output_end(out);
    free(out);
    return good;
}

/* The next item's head, as libcbor's callbacks deliver it. */
struct head {
    enum { HEAD_OTHER, HEAD_VALUE, HEAD_TEXT, HEAD_ARRAY, HEAD_MAP } kind;
    pop_profile_value value;
    const unsigned char *text;
    size_t count;
};

static void on_natural(struct head *head, uint64_t value)
{
    *head = (struct head){ .kind = HEAD_VALUE, .value = pop_profile_uint(value) };
}

static void on_negative(struct head *head, uint64_t value)
{
    if (value <= INT64_MAX)
        *head = (struct head){ .kind = HEAD_VALUE, .value = pop_profile_int(-1 - (int64_t)value) };
}

static void on_uint8(void *head, uint8_t value)
{
    on_natural(head, value);
}
static void on_uint16(void *head, uint16_t value)
{
    on_natural(head, value);
}
static void on_uint32(void *head, uint32_t value)
{
    on_natural(head, value);
}
static void on_uint64(void *head, uint64_t value)
{
    on_natural(head, value);
}
static void on_negint8(void *head, uint8_t value)
{
    on_negative(head, value);
}
static void on_negint16(void *head, uint16_t value)
{
    on_negative(head, value);
}
static void on_negint32(void *head, uint32_t value)
{
    on_negative(head, value);
}
static void on_negint64(void *head, uint64_t value)
{
    on_negative(head, value);
}

static void on_float(void *head, float value)
{
    *(struct head *)head = (struct head){ .kind = HEAD_VALUE, .value = pop_profile_double((double)value) };
}

static void on_double(void *head, double value)
{
    *(struct head *)head = (struct head){ .kind = HEAD_VALUE, .value = pop_profile_double(value) };
}

static void on_boolean(void *head, bool value)
{
    *(struct head *)head = (struct head){ .kind = HEAD_VALUE, .value = pop_profile_bool(value) };
}

static void on_null(void *head)
{
    *(struct head *)head = (struct head){ .kind = HEAD_VALUE };
}

static void on_string(void *head, cbor_data text, size_t length)
{
    *(struct head *)head = (struct head){ .kind = HEAD_TEXT, .text = text, .count = length };
}

static void on_array(void *head, size_t count)
{
    *(struct head *)head = (struct head){ .kind = HEAD_ARRAY, .count = count };
}

static void on_map(void *head, size_t count)
{
    *(struct head *)head = (struct head){ .kind = HEAD_MAP, .count = count };
}

struct cbor_reader {
    const unsigned char *data;
    size_t size, at;
    const char *wrong; /* why the input is refused; NULL: no error */
};

static struct head next_head(struct cbor_reader *reader)
{
    struct cbor_callbacks callbacks = cbor_empty_callbacks;
    callbacks.uint8 = on_uint8;
    callbacks.uint16 = on_uint16;
    callbacks.uint32 = on_uint32;
    callbacks.uint64 = on_uint64;
    callbacks.negint8 = on_negint8;
    callbacks.negint16 = on_negint16;
    callbacks.negint32 = on_negint32;
    callbacks.negint64 = on_negint64;
    callbacks.float2 = on_float;
    callbacks.float4 = on_float;
    callbacks.float8 = on_double;
    callbacks.boolean = on_boolean;
    callbacks.null = on_null;
    callbacks.string = on_string;
    callbacks.array_start = on_array;
    callbacks.map_start = on_map;
    struct head head = { .kind = HEAD_OTHER };
    struct cbor_decoder_result result =
        cbor_stream_decode(reader->data + reader->at, reader->size - reader->at, &callbacks, &head);
    if (result.status != CBOR_DECODER_FINISHED)
        reader->wrong = result.status == CBOR_DECODER_NEDATA ? "the input ends inside an item" : "an item is malformed";
    else if (head.kind == HEAD_OTHER)
        reader->wrong = "an item is of a kind that profiles do not hold";
    else if ((head.kind == HEAD_ARRAY || head.kind == HEAD_MAP) && head.count > reader->size - reader->at)
        reader->wrong = "an item claims more members than the input has bytes";
    else
        reader->at += result.read;
    return head;
}

/* The text of a head as a new C string. */
static char *head_text(const struct head *head)
{
    char *text = mem_alloc(head->count + 1);
    memcpy(text, head->text, head->count);
    text[head->count] = 0;
    return text;
}

static pop_profile_value read_value(struct cbor_reader *reader, unsigned depth)
{
    pop_profile_value value = { 0 };
    if (depth > PROFILE_DEEPEST) {
        reader->wrong = "the input is nested too deeply";
        return value;
    }
    struct head head = next_head(reader);
    if (reader->wrong)
        return value;
    if (head.kind == HEAD_VALUE)
        return head.value;
    if (head.kind == HEAD_TEXT)
        return (pop_profile_value){ POP_PROFILE_STRING, { .string = head_text(&head) } };
    value = head.kind == HEAD_MAP ? pop_profile_map_new() : pop_profile_vector_new();
    for (size_t i = 0; i < head.count && !reader->wrong; ++i) {
        if (head.kind == HEAD_ARRAY) {
            pop_profile_push(&value, read_value(reader, depth + 1));
            continue;
        }
        struct head key = next_head(reader);
        if (!reader->wrong && key.kind != HEAD_TEXT)
            reader->wrong = "a map has a key that is no text";
        if (reader->wrong)
            break;
        char *text = head_text(&key);
        pop_profile_set(&value, text, read_value(reader, depth + 1));
        free(text);
    }
    return value;
}

pop_status pop_profile_read_cbor(const void *data, size_t size, pop_profile_value *value, pop_error *error)
{
    size_t failures = mem_failures();
    struct cbor_reader reader = { .data = data, .size = size };
    *value = read_value(&reader, 0);
    if (!reader.wrong && reader.at != size)
        reader.wrong = "something follows the value";
    if (!reader.wrong && mem_failures() != failures)
        reader.wrong = ERROR_HOST_MEMORY;
    if (!reader.wrong)
        return POP_OK;
    pop_profile_free(value);
    return error_set(error, POP_PARSE_ERROR, NO_WHERE, "pop_profile_read_cbor", "byte %zu: %s", reader.at,
                     reader.wrong);
}
