/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/compile/cache.h"
#include "popc/compile/cache_place.h"
#include "popc/module/module.h"

#include "base/container.h"
#include "base/file.h"
#include "base/log.h"

#include <blake2.h>

static const char magic[8] = { 'T', 'R', 'M', 'C', 'A', 'C', 'H', 'E' };
/* Increment when generated code, reflection or the format changes: entries of other versions are not found. */
enum { VERSION = 9, SECTIONS = 6 };
enum { CPP_VERSION = 11 };  /* the same for sources in C++ */
enum { SIZES_VERSION = 3 }; /* the same for sizes of code on devices */

struct digest {
    unsigned char bytes[BLAKE2B_OUTBYTES / 2];
};

static struct digest digest_of(const void *data, size_t size)
{
    struct digest digest;
    blake2b(digest.bytes, data, NULL, sizeof(digest.bytes), size, 0);
    return digest;
}

/* Everything that an entry depends on, except the compilers and the included files, which the entry itself records. */
static void make_key(const struct popc_source *source, struct bytes *key)
{
    const struct popc_flags *flags = source->flags;
    char settings[96];
    snprintf(settings, sizeof(settings), "popc %d %d -O%c %d v%u %u",
             source->language == POPC_CPP ? CPP_VERSION : VERSION, source->language, flags->optimise, flags->debug,
             flags->level, flags->devices);
    if (flags->devices || flags->measured)
        snprintf(settings + strlen(settings), sizeof(settings) - strlen(settings), " sizes %d%s", SIZES_VERSION,
                 flags->small ? " small" : "");
    if (flags->measured)
        snprintf(settings + strlen(settings), sizeof(settings) - strlen(settings), " measured");
    if (flags->counted)
        snprintf(settings + strlen(settings), sizeof(settings) - strlen(settings), " counted %u", flags->counted);
    bytes_string(key, settings);
    bytes_string(key, flags->behaving ? BEHAVING_FLAG : "");
    bytes_string(key, flags->tile ? TILE_FLAG : flags->calls ? CALLS_FLAG : "");
    bytes_string(key, flags->standard[source->language == POPC_CPP]);
    bytes_string(key, source->name);
    bytes_u64(key, flags->both.count);
    for (size_t i = 0; i < flags->both.count; ++i)
        bytes_string(key, flags->both.data[i]);
    bytes_u64(key, flags->warnings.count);
    for (size_t i = 0; i < flags->warnings.count; ++i)
        bytes_string(key, flags->warnings.data[i]);
    bytes_u64(key, source->size);
    bytes_put(key, source->text, source->size);
}

bool cache_open(struct cache *cache, const struct popc_source *source)
{
    *cache = (struct cache){ .name = { 0 } };
    cache_places_find(&cache->places);
    if (!cache->places.count)
        return false;
    make_key(source, &cache->key);
    struct digest digest = digest_of(cache->key.v.data, cache->key.v.count);
    for (size_t i = 0; i < sizeof(digest.bytes); ++i)
        snprintf(cache->name + 2 * i, 3, "%02x", digest.bytes[i]);
    return true;
}

void cache_close(struct cache *cache)
{
    cache_places_free(&cache->places);
    vec_free(&cache->key.v);
}

static void entry_path(const struct cache *cache, size_t place, struct str *path)
{
    str_format(path, "%s/%s.codelets", cache->places.path[place].text, cache->name);
}

static bool hash_file(const char *path, struct digest *digest)
{
    char *data;
    size_t size;
    if (file_read(path, &data, &size, NULL) != POP_OK)
        return false;
    *digest = digest_of(data, size);
    free(data);
    return true;
}

/* The project's headers are recorded by name relative to the include directory, after this mark, so that an entry
 * stays valid wherever the same headers are installed. */
enum { OWN_HEADER = '\1' };

static const char *below(const char *directory, const char *file)
{
    size_t length = strlen(directory);
    return strncmp(file, directory, length) == 0 && file[length] == '/' ? file + length + 1 : NULL;
}

static bool hash_included(const char *recorded, const char *include, struct digest *digest)
{
    struct str path = { 0 };
    if (recorded[0] == OWN_HEADER)
        str_format(&path, "%s/%s", include, recorded + 1);
    else
        str_add(&path, recorded);
    bool read = path.text && hash_file(path.text, digest);
    str_free(&path);
    return read;
}

static bool includes_hold(struct container_reader *r, const char *include)
{
    for (uint64_t count = reader_count(r, 4 + sizeof(struct digest)); count; --count) {
        char *file = reader_string(r);
        const void *recorded = reader_take(r, sizeof(struct digest));
        struct digest now;
        bool holds = recorded && hash_included(file, include, &now) && memcmp(&now, recorded, sizeof(now)) == 0;
        free(file);
        if (!holds)
            return false;
    }
    return !r->failed;
}

/* Without a compiler, entries made by any compiler are accepted. */
static bool made_by(const struct container_section *sections, size_t count, const char *section, const char *compiler)
{
    size_t size;
    const char *identity = container_find(sections, count, section, &size);
    return !compiler || (identity && size == strlen(compiler) && memcmp(identity, compiler, size) == 0);
}

static bool entry_holds(const struct container_section *sections, size_t count, const struct cache *cache,
                        const char *include, const struct compilers *compilers, struct str *messages)
{
    size_t size;
    const void *key = container_find(sections, count, "key", &size);
    if (!key || size != cache->key.v.count || memcmp(key, cache->key.v.data, size) != 0)
        return false;
    if (!made_by(sections, count, "compiler", compilers->host) ||
        !made_by(sections, count, "device compiler", compilers->device))
        return false;
    struct container_reader included = { 0 };
    included.data = container_find(sections, count, "included", &included.size);
    if (!includes_hold(&included, include))
        return false;
    const char *said = container_find(sections, count, "messages", &size);
    if (said)
        str_add_bytes(messages, said, size);
    return true;
}

static bool read_entry(const struct cache *cache, const char *path, const struct popc_source *source,
                       const struct compilers *compilers, struct module **module, struct str *messages)
{
    char *data;
    size_t size, count, module_size;
    struct container_section sections[SECTIONS];
    if (!cache_file_trusted(path) || file_read(path, &data, &size, NULL) != POP_OK)
        return false;
    bool found =
        container_open(magic, VERSION, "cache entry", path, data, size, sections, SECTIONS, &count, NULL) == POP_OK &&
        entry_holds(sections, count, cache, source->include, compilers, messages);
    if (found) {
        const void *bytes = container_find(sections, count, "module", &module_size);
        found = module_read(source->name, bytes, module_size, module, NULL) == POP_OK;
    }
    free(data);
    return found;
}

bool cache_find(const struct cache *cache, const struct popc_source *source, const struct compilers *compilers,
                struct module **module, struct str *messages)
{
    bool found = false;
    for (size_t i = 0; i < cache->places.count && !found; ++i) {
        struct str path = { 0 };
        entry_path(cache, i, &path);
        found = read_entry(cache, path.text, source, compilers, module, messages);
        if (found && i == 0 && cache->places.own)
            cache_file_used(path.text);
        str_free(&path);
    }
    return found;
}

static void record_included(struct bytes *included, const char *include, const char *file, const struct digest *digest)
{
    struct str name = { 0 };
    const char *own = below(include, file);
    if (own)
        str_format(&name, "%c%s", OWN_HEADER, own);
    else
        str_add(&name, file);
    bytes_string(included, str_text(&name));
    bytes_put(included, digest, sizeof(*digest));
    str_free(&name);
}

void cache_store(const struct cache *cache, const struct popc_source *source, const struct built *built,
                 const struct compilers *compilers)
{
    struct bytes included = { 0 };
    if (!cache->places.own)
        return;
    bytes_u64(&included, built->included.count);
    bool good = true;
    for (size_t i = 0; i < built->included.count && good; ++i) {
        struct digest hash;
        good = hash_file(built->included.data[i], &hash);
        record_included(&included, source->include, built->included.data[i], &hash);
    }
    char *module, *entry;
    size_t size, entry_size;
    pop_error error;
    if (good && module_write(built->module, &module, &size, NULL) == POP_OK) {
        const char *device = compilers->device ? compilers->device : "";
        const struct container_section sections[SECTIONS] = { { "key", cache->key.v.data, cache->key.v.count },
                                                              { "compiler", compilers->host, strlen(compilers->host) },
                                                              { "device compiler", device, strlen(device) },
                                                              { "included", included.v.data, included.v.count },
                                                              { "messages", built->messages.text,
                                                                built->messages.length },
                                                              { "module", module, size } };
        container_build(magic, VERSION, sections, SECTIONS, &entry, &entry_size);
        struct str path = { 0 };
        entry_path(cache, 0, &path);
        if (file_write_private(path.text, entry, entry_size, &error) != POP_OK)
            LOG(CODELETS, INFO, "compiled codelets were not cached: %s", error.text);
        str_free(&path);
        cache_trim(cache->places.path[0].text);
        free(entry);
        free(module);
    }
    vec_free(&included.v);
}
