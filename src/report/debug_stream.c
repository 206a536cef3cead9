/* SPDX-License-Identifier: Apache-2.0 */
/* Writes debug contexts as CBOR or JSON. */
#include "report/debug_stream.h"

#include "value/report_files.h"
#include "value/value.h"

static void put(struct debug_stream *stream, const void *data, size_t size)
{
    stream->failed |= fwrite(data, 1, size, stream->file) != size;
}

static void put_value(struct debug_stream *stream, const pop_profile_value *value)
{
    bool ok = stream->format == POP_DEBUG_JSON ? pop_profile_write_json(stream->file, value, false)
                                               : pop_profile_write_cbor(stream->file, value);
    stream->failed |= !ok;
}

/* CBOR: a map, id first, whose member `contexts` is an array with an 8-byte length, which is filled in at the end. */
static void put_cbor_begin(struct debug_stream *stream, const char *id)
{
    static const char contexts[] = "\x68"
                                   "contexts\x9b";
    static const char two[] = "\xa2";
    long begin = ftell(stream->file);
    if (id) {
        put(stream, REPORT_DEBUG_HEAD, sizeof(REPORT_DEBUG_HEAD) - 1);
        put(stream, id, REPORT_ID_SIZE - 1);
    } else {
        put(stream, two, 1);
    }
    put(stream, contexts, sizeof(contexts) - 1);
    stream->length_at = (begin < 0 ? 0 : begin) +
                        (long)((id ? sizeof(REPORT_DEBUG_HEAD) - 1 + REPORT_ID_SIZE - 1 : 1) + sizeof(contexts) - 1);
    put(stream, "\0\0\0\0\0\0\0\0", 8);
}

void debug_stream_begin(struct debug_stream *stream, FILE *file, pop_debug_format format, const char *id)
{
    static const char json_begin[] = "{\"contexts\":[";
    *stream = (struct debug_stream){ .format = format, .file = file };
    intern_add(&stream->strings, NULL);
    if (format == POP_DEBUG_JSON)
        put(stream, json_begin, sizeof(json_begin) - 1);
    else
        put_cbor_begin(stream, id);
}

static void put_end(struct debug_stream *stream)
{
    static const char json_middle[] = "],\"stringTable\":", cbor_middle[] = "\x6bstringTable";
    pop_profile_value table = profile_vector(stream->strings.names.count);
    for (size_t i = 0; i < stream->strings.names.count; ++i)
        pop_profile_push(&table, pop_profile_string(intern_text(&stream->strings, (uint32_t)i)));
    if (stream->format == POP_DEBUG_JSON) {
        put(stream, json_middle, sizeof(json_middle) - 1);
        put_value(stream, &table);
        put(stream, "}\n", 2);
    } else {
        put(stream, cbor_middle, sizeof(cbor_middle) - 1);
        put_value(stream, &table);
        unsigned char length[8];
        for (int i = 0; i < 8; ++i)
            length[i] = (unsigned char)(stream->contexts >> (56 - 8 * i));
        if (fseek(stream->file, stream->length_at, SEEK_SET) == 0)
            put(stream, length, sizeof(length));
        else
            stream->failed = true;
    }
    pop_profile_free(&table);
}

bool debug_stream_end(struct debug_stream *stream)
{
    put_end(stream);
    stream->failed |= fflush(stream->file) != 0;
    stream->file = NULL;
    intern_free(&stream->strings);
    return !stream->failed;
}

static pop_profile_value string_index(struct debug_stream *stream, const char *text)
{
    return pop_profile_uint(intern_add(&stream->strings, text));
}

void debug_stream_put(struct debug_stream *stream, const struct debug_context *context, pop_profile_value map)
{
    pop_profile_set(&map, "id", pop_profile_uint(context->id));
    if (context->parent)
        pop_profile_set(&map, "parentId", pop_profile_uint(context->parent));
    pop_profile_set(&map, "layer", pop_profile_string(context->layer));
    pop_profile_set(&map, "name", string_index(stream, context->name));
    if (context->where.file) {
        pop_profile_value *location = pop_profile_set(&map, "location", pop_profile_map_new());
        pop_profile_set(location, "fileName", string_index(stream, context->where.file));
        pop_profile_set(location, "functionName", string_index(stream, context->function));
        pop_profile_set(location, "lineNumber", pop_profile_int(context->where.line));
    }
    if (stream->contexts++ && stream->format == POP_DEBUG_JSON)
        put(stream, ",", 1);
    put_value(stream, &map);
    pop_profile_free(&map);
}
