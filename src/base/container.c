/* SPDX-License-Identifier: Apache-2.0 */
#include "base/container.h"

#include "base/error.h"

#include <assert.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "container files are little-endian");

enum { HEADER = 16, ENTRY = 32, HASH = 16, ALIGNMENT = 64 };

void bytes_put(struct bytes *b, const void *data, size_t size)
{
    if (size)
        memcpy(vec_extend(&b->v, size), data, size);
}

void bytes_u8(struct bytes *b, uint8_t value)
{
    bytes_put(b, &value, sizeof(value));
}

void bytes_u32(struct bytes *b, uint32_t value)
{
    bytes_put(b, &value, sizeof(value));
}

void bytes_u64(struct bytes *b, uint64_t value)
{
    bytes_put(b, &value, sizeof(value));
}

void bytes_string(struct bytes *b, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    assert(length <= UINT32_MAX);
    bytes_u32(b, (uint32_t)length);
    bytes_put(b, text, length);
}

const void *reader_take(struct container_reader *r, size_t size)
{
    if (r->failed || size > r->size - r->at) {
        r->failed = true;
        return NULL;
    }
    const void *taken = r->data + r->at;
    r->at += size;
    return taken;
}

uint8_t reader_u8(struct container_reader *r)
{
    const uint8_t *from = reader_take(r, 1);
    return from ? *from : 0;
}

uint32_t reader_u32(struct container_reader *r)
{
    uint32_t value = 0;
    const void *from = reader_take(r, sizeof(value));
    if (from)
        memcpy(&value, from, sizeof(value));
    return value;
}

uint64_t reader_u64(struct container_reader *r)
{
    uint64_t value = 0;
    const void *from = reader_take(r, sizeof(value));
    if (from)
        memcpy(&value, from, sizeof(value));
    return value;
}

char *reader_string(struct container_reader *r)
{
    uint32_t length = reader_u32(r);
    const void *from = reader_take(r, length);
    if (!from)
        length = 0;
    char *text = mem_alloc((size_t)length + 1);
    if (from)
        memcpy(text, from, length);
    text[length] = 0;
    return text;
}

uint64_t reader_count(struct container_reader *r, size_t item_bytes)
{
    uint64_t count = reader_u64(r);
    if (r->failed || count > (r->size - r->at) / (item_bytes ? item_bytes : 1)) {
        r->failed = true;
        return 0;
    }
    return count;
}

static size_t aligned(size_t offset)
{
    return (offset + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

size_t container_bytes(const struct container_section *sections, size_t count)
{
    size_t total = aligned(HEADER + count * ENTRY);
    for (size_t i = 0; i < count; ++i)
        total = aligned(total + sections[i].size);
    return total + HASH;
}

/* Where the bytes go: a file, or else memory. */
struct container_writer {
    XXH3_state_t hash;
    FILE *file;
    char *memory;
    size_t at;
    bool failed;
};

static void write_part(struct container_writer *w, const void *data, size_t size)
{
    if (w->memory)
        memcpy(w->memory + w->at, data, size);
    else if (!w->failed)
        w->failed = fwrite(data, 1, size, w->file) != size;
    w->at += size;
}

void container_put(struct container_writer *w, const void *data, size_t size)
{
    enum { PART = 1 << 18 }; /* so that the part is still in the CPU cache when it is written */
    for (size_t done = 0; done < size;) {
        size_t part = size - done < PART ? size - done : PART;
        XXH3_128bits_update(&w->hash, (const char *)data + done, part);
        write_part(w, (const char *)data + done, part);
        done += part;
    }
}

static void put_header(struct container_writer *w, const struct container_content *content)
{
    assert(content->count <= UINT32_MAX);
    uint32_t count = (uint32_t)content->count;
    container_put(w, content->magic, 8);
    container_put(w, &content->version, 4);
    container_put(w, &count, 4);
    uint64_t offset = aligned(HEADER + content->count * ENTRY);
    for (size_t i = 0; i < content->count; ++i) {
        uint64_t bytes = content->sections[i].size;
        container_put(w, content->sections[i].name, 16);
        container_put(w, &offset, 8);
        container_put(w, &bytes, 8);
        offset = aligned(offset + bytes);
    }
}

static void put_all(struct container_writer *w, const struct container_content *content)
{
    static const char zeros[ALIGNMENT];
    XXH3_128bits_reset(&w->hash);
    put_header(w, content);
    container_put(w, zeros, aligned(w->at) - w->at);
    for (size_t i = 0; i < content->count; ++i) {
        const struct container_section *section = content->sections + i;
        size_t begin = w->at;
        if (section->data)
            container_put(w, section->data, section->size);
        else if (section->size)
            content->make(w, i, content->user);
        assert(w->at == begin + section->size);
        (void)begin;
        container_put(w, zeros, aligned(w->at) - w->at);
    }
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(&w->hash));
    write_part(w, &hash, HASH);
}

bool container_write(const struct container_content *content, FILE *file)
{
    struct container_writer w = { .file = file };
    put_all(&w, content);
    return !w.failed;
}

void container_fill(const struct container_content *content, char *memory)
{
    struct container_writer w = { .memory = memory };
    put_all(&w, content);
    assert(w.at == container_bytes(content->sections, content->count));
}

void container_build(const char magic[8], uint32_t version, const struct container_section *sections, size_t count,
                     char **file, size_t *size)
{
    *size = container_bytes(sections, count);
    *file = mem_alloc(*size);
    container_fill(&(struct container_content){ magic, version, sections, count, NULL, NULL }, *file);
}

/* Reads the table of sections. Bounds are checked although the checksum matched: a faulty writer may have produced the
 * file. */
static bool read_sections(const unsigned char *file, size_t end, struct container_section *sections, size_t capacity,
                          size_t count)
{
    if (count > capacity || count > (end - HEADER) / ENTRY)
        return false;
    for (size_t i = 0; i < count; ++i) {
        const unsigned char *entry = file + HEADER + i * ENTRY;
        uint64_t offset, bytes;
        memcpy(sections[i].name, entry, 16);
        memcpy(&offset, entry + 16, 8);
        memcpy(&bytes, entry + 24, 8);
        if (offset > end || bytes > end - offset || offset < HEADER + count * ENTRY)
            return false;
        sections[i].data = file + offset;
        sections[i].size = bytes;
    }
    return true;
}

pop_status container_open(const char magic[8], uint32_t version, const char *what, const char *name, const void *data,
                          size_t size, struct container_section *sections, size_t capacity, size_t *count,
                          pop_error *error)
{
    const unsigned char *file = data;
    *count = 0;
    if (size < 8 || memcmp(file, magic, 8) != 0)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "'%s' is not a %s", name, what);
    if (size < HEADER + HASH)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL, "%s '%s' is truncated: it has only %zu bytes",
                         what, name, size);
    uint32_t seen, sections_seen;
    memcpy(&seen, file + 8, 4);
    memcpy(&sections_seen, file + 12, 4);
    if (seen != version)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL,
                         "%s '%s' has format version %u, this library reads version %u: write it again", what, name,
                         (unsigned)seen, (unsigned)version);
    size_t end = size - HASH;
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(file, end));
    if (memcmp(&hash, file + end, HASH) != 0)
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL,
                         "%s '%s' is truncated or was altered: its checksum does not match its %zu bytes", what, name,
                         size);
    if (!read_sections(file, end, sections, capacity, sections_seen))
        return error_set(error, POP_FILE_LOAD_ERROR, NO_WHERE, NULL,
                         "%s '%s' is damaged: its table of %u sections does not fit", what, name,
                         (unsigned)sections_seen);
    *count = sections_seen;
    return POP_OK;
}

const void *container_find(const struct container_section *sections, size_t count, const char *name, size_t *size)
{
    for (size_t i = 0; i < count; ++i)
        if (strncmp(sections[i].name, name, sizeof(sections[i].name)) == 0) {
            *size = sections[i].size;
            return sections[i].data;
        }
    *size = 0;
    return NULL;
}
