/* SPDX-License-Identifier: Apache-2.0 */
#include "popc/cache.h"
#include "popc/machine.h"

#include "base/container.h"
#include "base/file.h"
#include "base/log.h"

#include <inttypes.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static const char magic[8] = { 'T', 'R', 'M', 'C', 'A', 'C', 'H', 'E' };
/* Raise it when the generated code, reflection or the format changes: entries of other versions are found no more. */
enum { VERSION = 6, SECTIONS = 5 };

static void hash_string(XXH3_state_t *state, const char *text)
{
    XXH3_128bits_update(state, text, strlen(text) + 1);
}

bool cache_path(const struct source *source, struct str *path)
{
    if (!machine_cache(path))
        return false;
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    const struct popc_flags *flags = source->flags;
    char settings[64];
    snprintf(settings, sizeof(settings), "popc %d %d -O%c %d v%u %u", VERSION, source->language, flags->optimise, flags->debug, flags->level, flags->devices);
    if (flags->counted)
        snprintf(settings + strlen(settings), sizeof(settings) - strlen(settings), " counted %u", flags->counted);
    hash_string(state, settings);
    if (flags->behaving)
        hash_string(state, BEHAVING_FLAG);
    hash_string(state, flags->standard[source->language == POPC_CPP]);
    hash_string(state, source->name);
    hash_string(state, source->include);
    for (size_t i = 0; i < flags->both.count; ++i)
        hash_string(state, flags->both.data[i]);
    hash_string(state, "");
    for (size_t i = 0; i < flags->warnings.count; ++i)
        hash_string(state, flags->warnings.data[i]);
    hash_string(state, "");
    XXH3_128bits_update(state, source->text, source->size);
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    str_format(path, "/%016" PRIx64 "%016" PRIx64 ".codelets", (uint64_t)hash.high64, (uint64_t)hash.low64);
    return true;
}

static bool hash_file(const char *path, XXH128_hash_t *hash)
{
    char *data;
    size_t size;
    if (file_read(path, &data, &size, NULL) != POP_OK)
        return false;
    *hash = XXH3_128bits(data, size);
    free(data);
    return true;
}

static bool includes_hold(struct reader *r)
{
    for (uint64_t count = reader_count(r, 4 + sizeof(XXH128_hash_t)); count; --count) {
        char *file = reader_string(r);
        const void *recorded = reader_take(r, sizeof(XXH128_hash_t));
        XXH128_hash_t now;
        bool holds = recorded && hash_file(file, &now) && memcmp(&now, recorded, sizeof(now)) == 0;
        free(file);
        if (!holds)
            return false;
    }
    return !r->failed;
}

/* Without a compiler anybody's work is taken. */
static bool made_by(const struct container_section *sections, size_t count, const char *section, const char *compiler)
{
    size_t size;
    const char *identity = container_find(sections, count, section, &size);
    return !compiler || (identity && size == strlen(compiler) && memcmp(identity, compiler, size) == 0);
}

static bool entry_holds(const struct container_section *sections, size_t count, const struct compilers *compilers, struct str *messages)
{
    size_t size;
    if (!made_by(sections, count, "compiler", compilers->host) || !made_by(sections, count, "device compiler", compilers->device))
        return false;
    struct reader included = { 0 };
    included.data = container_find(sections, count, "included", &included.size);
    if (!includes_hold(&included))
        return false;
    const char *said = container_find(sections, count, "messages", &size);
    if (said)
        str_add_bytes(messages, said, size);
    return true;
}

bool cache_find(const char *path, const struct source *source, const struct compilers *compilers, struct module **module, struct str *messages)
{
    char *data;
    size_t size, count, module_size;
    struct container_section sections[SECTIONS];
    if (file_read(path, &data, &size, NULL) != POP_OK)
        return false;
    bool found = container_open(magic, VERSION, "cache entry", path, data, size, sections, SECTIONS, &count, NULL) == POP_OK &&
                 entry_holds(sections, count, compilers, messages);
    if (found) {
        const void *bytes = container_find(sections, count, "module", &module_size);
        found = module_read(source->name, bytes, module_size, module, NULL) == POP_OK;
    }
    free(data);
    return found;
}

void cache_store(const char *path, const struct built *built, const struct compilers *compilers)
{
    struct bytes included = { 0 };
    bytes_u64(&included, built->included.count);
    bool good = true;
    for (size_t i = 0; i < built->included.count && good; ++i) {
        XXH128_hash_t hash;
        good = hash_file(built->included.data[i], &hash);
        bytes_string(&included, built->included.data[i]);
        bytes_put(&included, &hash, sizeof(hash));
    }
    char *module, *entry;
    size_t size, entry_size;
    pop_error error;
    if (good && module_write(built->module, &module, &size, NULL) == POP_OK) {
        const char *device = compilers->device ? compilers->device : "";
        const struct container_section sections[SECTIONS] = { { "compiler", compilers->host, strlen(compilers->host) },
                                                              { "device compiler", device, strlen(device) },
                                                              { "included", included.v.data, included.v.count },
                                                              { "messages", built->messages.text, built->messages.length },
                                                              { "module", module, size } };
        container_build(magic, VERSION, sections, SECTIONS, &entry, &entry_size);
        if (file_write(path, entry, entry_size, &error) != POP_OK)
            LOG(CODELETS, INFO, "compiled codelets were not cached: %s", error.text);
        free(entry);
        free(module);
    }
    vec_free(&included.v);
}
