/* SPDX-License-Identifier: Apache-2.0 */
/* debug.cbor: a sequence of maps, one after the other as the program went on, each of "contexts", a list of maps, and
 * "stringTable", a list of texts. One pass records the position
 * of each item and decodes only heads of items, ids and parents. Contexts may come in any order, because those that
 * end first are written first. */
#include "pva/debug.h"

#include "base/file.h"

#include <cbor.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DEEPEST = 128 };

/* The head of a CBOR item. */
struct debug_head {
    enum { HEAD_OTHER, HEAD_NUMBER, HEAD_TEXT, HEAD_ARRAY, HEAD_MAP, HEAD_BREAK, HEAD_BAD } kind;
    uint64_t number; /* number of elements or pairs; UINT64_MAX: until a break */
    const unsigned char *text;
    size_t length;
};

static void on_number(struct debug_head *head, uint64_t number)
{
    *head = (struct debug_head){ .kind = HEAD_NUMBER, .number = number };
}
static void on_uint8(void *head, uint8_t value)
{
    on_number(head, value);
}
static void on_uint16(void *head, uint16_t value)
{
    on_number(head, value);
}
static void on_uint32(void *head, uint32_t value)
{
    on_number(head, value);
}
static void on_uint64(void *head, uint64_t value)
{
    on_number(head, value);
}
static void on_string(void *head, cbor_data text, size_t length)
{
    *(struct debug_head *)head = (struct debug_head){ .kind = HEAD_TEXT, .text = text, .length = length };
}
static void on_array(void *head, size_t count)
{
    *(struct debug_head *)head = (struct debug_head){ .kind = HEAD_ARRAY, .number = count };
}
static void on_long_array(void *head)
{
    *(struct debug_head *)head = (struct debug_head){ .kind = HEAD_ARRAY, .number = UINT64_MAX };
}
static void on_map(void *head, size_t count)
{
    *(struct debug_head *)head = (struct debug_head){ .kind = HEAD_MAP, .number = count };
}
static void on_long_map(void *head)
{
    *(struct debug_head *)head = (struct debug_head){ .kind = HEAD_MAP, .number = UINT64_MAX };
}
static void on_break(void *head)
{
    *(struct debug_head *)head = (struct debug_head){ .kind = HEAD_BREAK };
}
static void on_other(void *head)
{
    *(struct debug_head *)head = (struct debug_head){ .kind = HEAD_BAD };
}
static void on_tag(void *head, uint64_t tag)
{
    (void)tag, on_other(head);
}

enum { WINDOW = 1 << 16 };

/* Bytes from a position on: at least `need`, or up to the end of the file; *size is their number. */
static const unsigned char *bytes_at(struct debug_index *index, size_t at, size_t need, size_t *size)
{
    size_t end = index->window_at + index->window_size, rest = index->size - at;
    need = need < rest ? need : rest;
    if (at < index->window_at || at > end || end - at < need) {
        size_t wanted = need > WINDOW ? need : WINDOW < rest ? WINDOW : rest;
        if (wanted > index->window_capacity) {
            index->window = mem_grow(index->window, wanted);
            index->window_capacity = wanted;
        }
        index->window_at = at;
        index->window_size = 0;
        while (index->window_size < wanted) {
            ssize_t got = pread(index->descriptor, index->window + index->window_size, wanted - index->window_size,
                                (off_t)(at + index->window_size));
            if (got <= 0)
                break;
            index->window_size += (size_t)got;
        }
        end = at + index->window_size;
    }
    *size = end - at;
    return index->window + (at - index->window_at);
}

/* Reads the head of an item and advances *at. Its text is valid until the next call. */
static struct debug_head head_at(struct debug_index *index, size_t *at)
{
    struct cbor_callbacks callbacks = cbor_empty_callbacks;
    callbacks.uint8 = on_uint8;
    callbacks.uint16 = on_uint16;
    callbacks.uint32 = on_uint32;
    callbacks.uint64 = on_uint64;
    callbacks.string = on_string;
    callbacks.array_start = on_array;
    callbacks.indef_array_start = on_long_array;
    callbacks.map_start = on_map;
    callbacks.indef_map_start = on_long_map;
    callbacks.indef_break = on_break;
    callbacks.string_start = on_other; /* the project's writers do not use these */
    callbacks.byte_string_start = on_other;
    callbacks.tag = on_tag;
    struct debug_head head = { 0 };
    if (*at >= index->size)
        return (struct debug_head){ .kind = HEAD_BAD };
    size_t size, need = 16;
    const unsigned char *data = bytes_at(index, *at, need, &size);
    struct cbor_decoder_result result = cbor_stream_decode(data, size, &callbacks, &head);
    if (result.status == CBOR_DECODER_NEDATA && result.required > size && result.required <= index->size - *at) {
        need = result.required; /* the text is longer than the bytes read */
        data = bytes_at(index, *at, need, &size);
        if (size >= need)
            result = cbor_stream_decode(data, size, &callbacks, &head);
    }
    if (result.status != CBOR_DECODER_FINISHED || !result.read)
        return (struct debug_head){ .kind = HEAD_BAD };
    *at += result.read;
    return head;
}

/* Advances *at to the end of an item. */
static bool skip_item(struct debug_index *index, size_t *at)
{
    uint64_t left[DEEPEST];
    unsigned depth = 0;
    do {
        if (depth && left[depth - 1] == 0) {
            --depth;
            continue;
        }
        struct debug_head head = head_at(index, at);
        if (head.kind == HEAD_BAD)
            return false;
        if (head.kind == HEAD_BREAK) {
            if (!depth || left[depth - 1] < UINT64_MAX / 2)
                return false;
            --depth;
            continue;
        }
        if (depth && left[depth - 1] != UINT64_MAX)
            --left[depth - 1];
        if (head.kind == HEAD_ARRAY || head.kind == HEAD_MAP) {
            if (depth == DEEPEST || (head.number != UINT64_MAX && head.number > index->size))
                return false;
            left[depth++] = head.number == UINT64_MAX ? UINT64_MAX
                            : head.kind == HEAD_MAP   ? 2 * head.number
                                                      : head.number;
        }
    } while (depth);
    return true;
}

static bool text_is(const struct debug_head *head, const char *text)
{
    return head->kind == HEAD_TEXT && head->length == strlen(text) && memcmp(head->text, text, head->length) == 0;
}

/* Whether a list or map has another element; `count` counts down, and a break ends an item of unknown length. */
static bool next_item(struct debug_index *index, size_t *at, uint64_t *count)
{
    if (*count != UINT64_MAX)
        return (*count)-- != 0;
    size_t next = *at;
    if (head_at(index, &next).kind != HEAD_BREAK)
        return true;
    *at = next;
    return false;
}

static bool index_context(struct debug_index *index, size_t *at)
{
    struct debug_entry entry = { .at = *at, .first_string = index->part_strings };
    struct debug_head head = head_at(index, at);
    if (head.kind != HEAD_MAP)
        return false;
    while (next_item(index, at, &head.number)) {
        struct debug_head key = head_at(index, at), number;
        size_t value = *at;
        bool id = text_is(&key, "id"), parent = text_is(&key, "parentId");
        if (key.kind != HEAD_TEXT || !skip_item(index, at))
            return false;
        if (!id && !parent)
            continue;
        number = head_at(index, &value);
        if (number.kind == HEAD_NUMBER)
            *(id ? &entry.id : &entry.parent) = number.number;
    }
    entry.size = *at - entry.at;
    *vec_push(&index->entries) = entry;
    return true;
}

static bool index_list(struct debug_index *index, size_t *at, bool contexts)
{
    struct debug_head head = head_at(index, at);
    if (head.kind != HEAD_ARRAY)
        return false;
    while (next_item(index, at, &head.number)) {
        if (!contexts)
            *vec_push(&index->strings) = *at;
        if (!(contexts ? index_context(index, at) : skip_item(index, at)))
            return false;
    }
    return true;
}

static bool index_part(struct debug_index *index, size_t *at)
{
    struct debug_head root = head_at(index, at);
    bool found = false;
    if (root.kind != HEAD_MAP)
        return false;
    index->part_strings = index->strings.count;
    while (next_item(index, at, &root.number)) {
        struct debug_head key = head_at(index, at);
        bool contexts = text_is(&key, "contexts");
        found |= contexts;
        if (key.kind != HEAD_TEXT ||
            !(contexts || text_is(&key, "stringTable") ? index_list(index, at, contexts) : skip_item(index, at)))
            return false;
    }
    return found;
}

/* The first part must be whole; a later one may be cut where its program was killed, and is left out then. */
static bool index_all(struct debug_index *index)
{
    size_t at = 0;
    if (!index_part(index, &at))
        return false;
    while (at < index->size) {
        size_t entries = index->entries.count;
        if (!index_part(index, &at)) {
            index->entries.count = entries;
            break;
        }
    }
    return true;
}

static int by_id(const void *a, const void *b)
{
    const struct debug_entry *x = a, *y = b;
    return x->id != y->id ? (x->id < y->id ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

/* Sorts the contexts; of those with one id, which a graph that was compiled again has, the last counts. */
static void sort_entries(struct debug_index *index)
{
    size_t kept = 0, count = index->entries.count;
    struct debug_entry *list = index->entries.data;
    if (count)
        qsort(list, count, sizeof(*list), by_id);
    for (size_t i = 0; i < count; ++i)
        if (i + 1 == count || list[i].id != list[i + 1].id || !list[i].id)
            list[kept++] = list[i];
    index->entries.count = kept;
}

bool debug_open(pva_file *file, const char *path)
{
    struct stat facts;
    int descriptor = file_open_regular(path);
    if (descriptor < 0 || fstat(descriptor, &facts) != 0 || facts.st_size <= 0) {
        if (descriptor >= 0)
            close(descriptor);
        file_fail(file, POP_FILE_LOAD_ERROR, "its debug information %s cannot be read, or is empty", path);
        return false;
    }
    file->debug = MEM_NEW(struct debug_index);
    file->debug->path = mem_string(path);
    file->debug->descriptor = descriptor;
    file->debug->size = (size_t)facts.st_size;
    return true;
}

void debug_free(pva_file *file)
{
    struct debug_index *index = file->debug;
    if (!index)
        return;
    close(index->descriptor);
    free(index->window);
    pop_profile_free(&index->context);
    vec_free(&index->entries);
    vec_free(&index->strings);
    vec_free(&index->operations);
    vec_free(&index->programs);
    vec_free(&index->vars);
    free(index->path);
    free(index);
    file->debug = NULL;
}

struct debug_index *debug_index(pva_file *file)
{
    struct debug_index *index = file->debug;
    if (!index || file->failed)
        return NULL;
    if (!index->indexed) {
        index->indexed = true;
        if (!index_all(index)) {
            vec_free(&index->entries);
            file_fail(file, POP_PARSE_ERROR, "%s is not a file of debug contexts, or is damaged", index->path);
            return NULL;
        }
        sort_entries(index);
    }
    return index;
}

size_t debug_find(const struct debug_index *index, uint64_t id)
{
    size_t low = 0, high = index->entries.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (index->entries.data[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->entries.count && index->entries.data[low].id == id ? low : SIZE_MAX;
}

char *debug_string(struct debug_index *index, uint64_t number)
{
    if (number >= index->strings.count)
        return mem_string("");
    size_t at = index->strings.data[number];
    struct debug_head head = head_at(index, &at);
    if (head.kind != HEAD_TEXT)
        return mem_string("");
    char *text = mem_alloc(head.length + 1);
    memcpy(text, head.text, head.length);
    text[head.length] = '\0';
    return text;
}

/* Replaces an index into the string table of a part by its text. */
static void resolve(struct debug_index *index, size_t first_string, pop_profile_value *map, const char *key)
{
    const pop_profile_value *value = pop_profile_get(map, key);
    if (!value || value->type != POP_PROFILE_UINT)
        return;
    char *text =
        debug_string(index, value->as.natural < SIZE_MAX - first_string ? first_string + value->as.natural : SIZE_MAX);
    pop_profile_set(map, key, pop_profile_string(text));
    free(text);
}

/* Decodes a context; null, with a failure of the file, when it is damaged. */
static pop_profile_value read_context(pva_file *file, struct debug_index *index, size_t entry)
{
    pop_profile_value value = { 0 };
    pop_error why = { 0 };
    const struct debug_entry *place = index->entries.data + entry;
    size_t size;
    const unsigned char *data = bytes_at(index, place->at, place->size, &size);
    if (pop_profile_read_cbor(data, size < place->size ? size : place->size, &value, &why) != POP_OK) {
        file_fail(file, POP_PARSE_ERROR, "%s: context %llu: %s", index->path,
                  (unsigned long long)index->entries.data[entry].id, why.text);
        return value;
    }
    resolve(index, place->first_string, &value, "name");
    pop_profile_value location = pop_profile_copy(pop_profile_get(&value, "location"));
    if (location.type == POP_PROFILE_MAP) {
        resolve(index, place->first_string, &location, "fileName");
        resolve(index, place->first_string, &location, "functionName");
        pop_profile_set(&value, "location", location);
    } else {
        pop_profile_free(&location);
    }
    return value;
}

const pop_profile_value *debug_context(pva_file *file, size_t entry)
{
    static const pop_profile_value nothing;
    struct debug_index *index = debug_index(file);
    if (!index || entry >= index->entries.count)
        return &nothing;
    if (index->context_of != entry + 1) {
        pop_profile_free(&index->context);
        index->context = read_context(file, index, entry);
        index->context_of = file->failed ? 0 : entry + 1;
    }
    return &index->context;
}
