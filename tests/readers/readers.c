/* SPDX-License-Identifier: Apache-2.0 */
#include "readers.h"
#include "popc/compile/compile.h"
#include "popc/module/module.h"
#include "popc/tile_operands.h"

#include "base/options.h"
#include "image/image.h"

#include "tile/machine.h"
#include "tile/program.h"
#include "tile/tile.h"

#include <popef/popef.h>
#include <poplar/poplar.h>
#include <poplar/profile.h>
#include <pva/pva.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* ---- bytes in memory ---- */

static void read_executable(const uint8_t *data, size_t size)
{
    struct image *image;
    pop_error error;
    if (image_read("fuzz", data, size, &image, &error) == POP_OK)
        image_release(image);
}

static void read_gp(const uint8_t *data, size_t size)
{
    struct module *module;
    pop_error error;
    if (module_read("fuzz", data, size, &module, &error) == POP_OK)
        module_release(module);
}

static void read_json(const uint8_t *data, size_t size)
{
    pop_profile_value value;
    pop_error error;
    if (pop_profile_read_json((const char *)data, size, &value, &error) == POP_OK)
        pop_profile_free(&value);
}

static void read_cbor(const uint8_t *data, size_t size)
{
    pop_profile_value value;
    pop_error error;
    if (pop_profile_read_cbor(data, size, &value, &error) == POP_OK)
        pop_profile_free(&value);
}

/* A text in its own allocation, so that the sanitizer detects a read beyond it. */
static char *text_of(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

static void read_options(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    struct option_set set = { 0 };
    pop_error error;
    setenv("TREMULA_FUZZED_OPTIONS", text, 1);
    (void)options_apply(&set, "engine", POP_NO_OPTIONS, "TREMULA_FUZZED_OPTIONS", (pop_where){ 0 }, "fuzz", &error);
    options_free(&set);
    free(text);
}

static void read_target(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    pop_target target;
    pop_error error;
    (void)pop_target_from_text(text, &target, &error);
    free(text);
}

static void read_tensors(const uint8_t *data, size_t size, pop_serialization format)
{
    FILE *file = size ? fmemopen((void *)(uintptr_t)data, size, "rb") : NULL;
    if (!file)
        return;
    pop_target target = pop_target_create_cpu(false, 1);
    pop_graph *graph = pop_graph_create(&target);
    pop_tensor tensors[8];
    pop_error error;
    (void)pop_graph_deserialize_tensors(graph, file, format, tensors, 8);
    (void)pop_graph_take_error(graph, &error);
    pop_graph_destroy(graph);
    fclose(file);
}

static void read_saved_binary(const uint8_t *data, size_t size)
{
    read_tensors(data, size, POP_SERIALIZE_BINARY);
}
static void read_saved_json(const uint8_t *data, size_t size)
{
    read_tensors(data, size, POP_SERIALIZE_JSON);
}

/* ---- report files: every property, some elements of each list ---- */

enum { DEEPEST = 6, MAX_READS = 4000 };

static void walk(pva_object object, int depth, int *left)
{
    for (int p = 0; p<PVA_PROPERTY_COUNT && * left> 0; ++p) {
        pva_property property = (pva_property)p;
        char text[64];
        uint64_t numbers[16], count;
        if (pva_property_class(property) != object.type)
            continue;
        --*left;
        switch (pva_property_kind(property)) {
        case PVA_UINT:
        case PVA_BOOL:
            (void)pva_uint(object, property);
            break;
        case PVA_REAL:
            (void)pva_real(object, property);
            break;
        case PVA_TEXT:
            (void)pva_text(object, property, text, sizeof(text));
            break;
        case PVA_NUMBERS:
            (void)pva_numbers(object, property, 0, 16, numbers);
            break;
        case PVA_OBJECT:
            if (depth)
                walk(pva_get(object, property), depth - 1, left);
            break;
        case PVA_LIST:
            count = pva_count(object, property);
            for (uint64_t i = 0; depth && i<count && * left> 0; i = i < 2 ? i + 1 : i == count - 1 ? count : count - 1)
                walk(pva_at(object, property, i), depth - 1, left);
            break;
        }
    }
}

static void walk_file(pva_file *file)
{
    int left = MAX_READS;
    pop_error error;
    pva_object steps[3];
    if (!file)
        return;
    walk(pva_root(file), DEEPEST, &left);
    (void)pva_peak_tile(file);
    (void)pva_longest_steps(file, steps, 3);
    (void)pva_worst_liveness_step(file);
    (void)pva_take_error(file, &error);
    pva_close(file);
}

static const char *as_file(const uint8_t *data, size_t size, const char *ending)
{
    static char path[64];
    snprintf(path, sizeof(path), "readers.%ld%s", (long)getpid(), ending);
    FILE *file = fopen(path, "wb");
    if (file) {
        (void)!fwrite(data, 1, size, file);
        fclose(file);
    }
    return path;
}

static void read_report(const uint8_t *data, size_t size)
{
    const char *path = as_file(data, size, ".pop");
    pop_error error;
    walk_file(pva_open_report(path, NULL, &error));
    remove(path);
}

static void read_archive(const uint8_t *data, size_t size)
{
    const char *path = as_file(data, size, ".archive.a");
    pop_error error;
    walk_file(pva_open_report(path, NULL, &error));
    remove(path);
}

static void read_trace(const uint8_t *data, size_t size)
{
    const char *path = as_file(data, size, ".pvti");
    pop_error error;
    walk_file(pva_open_trace(path, &error));
    remove(path);
}

/* Compared with a complete report: TREMULA_READERS_REPORT names it. */
static void read_debug(const uint8_t *data, size_t size)
{
    const char *report = getenv("TREMULA_READERS_REPORT"), *path = as_file(data, size, ".cbor");
    pop_error error;
    if (report)
        walk_file(pva_open_report(report, path, &error));
    remove(path);
}

/* What a file assembles to is listed, linked and run: whatever the words are, they end. */
static void run_object(const struct tile_object *object)
{
    struct str text = { 0 }, why = { 0 };
    const char *root = NULL;
    for (size_t i = 0; i < object->symbols.count && !root; ++i)
        root = object->symbols.data[i].global ? object->symbols.data[i].name : NULL;
    tile_object_list(object, &text);
    struct tile_program *program = root ? tile_program_link(&object, 1, &root, 1, 0, &why) : NULL;
    struct tile *tile = program ? tile_create(program) : NULL;
    struct tile_result result;
    if (tile) {
        tile_limit(tile, 1000);
        tile_run_workers(tile, tile_program_symbol(program, root), 0, 6, &result);
        tile_run_supervisor(tile, tile_program_symbol(program, root), 0, 0, &result);
    }
    tile_free(tile);
    tile_program_free(program);
    str_free(&text);
    str_free(&why);
}

static void read_assembly(const uint8_t *data, size_t size)
{
    char *text = text_of(data, size);
    struct str messages = { 0 };
    struct tile_object *object = tile_assemble("fuzz.S", text, TILE_IPU2, &messages);
    if (object)
        run_object(object);
    tile_object_free(object);
    str_free(&messages);
    free(text);
}

static void read_tile_object(const uint8_t *data, size_t size)
{
    struct tile_object *object = tile_object_read(data, size);
    if (object)
        run_object(object);
    tile_object_free(object);
}

/* Inline assembly, and the registers of a statement whose text is what was read. */
static void read_statements(const uint8_t *data, size_t size)
{
    static const char *const constraints[] = { "=&r", "+r", "r", "0", "i", "$a0:1", "A" };
    static const unsigned char kinds[] = { 'f', 'p', 'e', 'f', 'i', 'f', 'i' };
    char *text = text_of(data, size);
    struct str rewritten = { 0 }, said = { 0 }, placed = { 0 }, why = { 0 };
    struct popc_operand operands[7];
    struct tile_place places[7];
    memset(operands, 0, sizeof(operands));
    for (unsigned i = 0; i < 7; ++i) {
        operands[i].constraint = constraints[i];
        operands[i].name = i % 2 ? "" : "value";
        operands[i].kind = kinds[i];
        operands[i].bytes = i % 3 ? 4 : 8;
    }
    struct popc_assembly statement = {
        .text = text, .clobbers = "memory,$m3", .outputs = 2, .count = 7, .operands = operands
    };
    statements_rewrite(text, &rewritten, &said);
    tile_operands_place(&statement, size % 2, places, &placed, &why);
    str_free(&rewritten);
    str_free(&said);
    str_free(&placed);
    str_free(&why);
    free(text);
}

static void read_popef(const uint8_t *data, size_t size)
{
    pop_error error;
    popef_reader *reader = popef_reader_of(data, size, "fuzz", &error);
    size_t bytes = 0;
    for (size_t i = 0; i < popef_reader_count(reader); ++i) {
        popef_blob blob = popef_reader_blob(reader, i);
        for (size_t k = 0; k < blob.size; ++k)
            bytes += ((const uint8_t *)blob.data)[k];
    }
    if (bytes == SIZE_MAX)
        puts("never");
    popef_reader_close(reader);
}

const struct reader readers[] = {
    { "executable", read_executable, true },
    { "running", read_running, true },
    { "gp", read_gp, true },
    { "json", read_json, false },
    { "cbor", read_cbor, false },
    { "options", read_options, false },
    { "target", read_target, false },
    { "report", read_report, false },
    { "archive", read_archive, false },
    { "trace", read_trace, false },
    { "saved_binary", read_saved_binary, true },
    { "saved_json", read_saved_json, false },
    { "debug", read_debug, false },
    { "assembly", read_assembly, false },
    { "tile_object", read_tile_object, false },
    { "statements", read_statements, false },
    { "popef", read_popef, true },
};
const size_t readers_count = sizeof(readers) / sizeof(readers[0]);

void reader_seal(uint8_t *data, size_t size)
{
    XXH128_canonical_t hash;
    if (size < sizeof(hash))
        return;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(data, size - sizeof(hash)));
    memcpy(data + size - sizeof(hash), &hash, sizeof(hash));
}

const struct reader *reader_named(const char *name)
{
    for (size_t i = 0; name && i < readers_count; ++i)
        if (!strcmp(readers[i].name, name))
            return &readers[i];
    return NULL;
}
