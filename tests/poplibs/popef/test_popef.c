/* SPDX-License-Identifier: Apache-2.0 */
/* popef: what is written is read; files that are damaged, cut off or foreign have one error each; a failed writer
 * leaves the file at its path as it was. */
#include <popef/popef.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static pop_profile_value named(const char *name)
{
    pop_profile_value map = pop_profile_map_new();
    pop_profile_set(&map, "name", pop_profile_string(name));
    pop_profile_set(&map, "executable", pop_profile_string("model"));
    return map;
}

static pop_profile_value tensor(const char *type, size_t rank, const uint64_t *sizes)
{
    pop_profile_value map = named("w"), shape = pop_profile_vector_new();
    for (size_t i = 0; i < rank; ++i)
        pop_profile_push(&shape, pop_profile_uint(sizes[i]));
    pop_profile_set(&map, "type", pop_profile_string(type));
    pop_profile_set(&map, "shape", shape);
    return map;
}

/* Adds a blob and frees its description. */
static pop_status add(popef_writer *writer, popef_kind kind, pop_profile_value description, const void *data,
                      size_t size, pop_error *error)
{
    pop_status status = popef_writer_add(writer, kind, &description, data, size, error);
    pop_profile_free(&description);
    return status;
}

static const float values[6] = { 1, -2, 0.1f, 4, 5, 6 };

static void add_model(popef_writer *writer)
{
    pop_error error;
    assert_int_equal(add(writer, POPEF_METADATA, named("facts"), NULL, 0, &error), POP_OK);
    assert_int_equal(add(writer, POPEF_EXECUTABLE, named("model"), "bytes", 5, &error), POP_OK);
    assert_int_equal(add(writer, POPEF_TENSOR, tensor("F32", 2, (uint64_t[]){ 2, 3 }), values, 24, &error), POP_OK);
    assert_int_equal(add(writer, POPEF_TENSOR, tensor("F16", 2, (uint64_t[]){ 0, 7 }), NULL, 0, &error), POP_OK);
    assert_int_equal(add(writer, POPEF_TENSOR, tensor("U8", 0, NULL), "x", 1, &error), POP_OK);
}

static void check_model(const popef_reader *reader, size_t first)
{
    popef_blob blob = popef_reader_blob(reader, first);
    assert_int_equal(blob.kind, POPEF_METADATA);
    assert_string_equal(pop_profile_as_string(pop_profile_get(blob.description, "executable")), "model");
    blob = popef_reader_blob(reader, first + 1);
    assert_int_equal(blob.size, 5);
    assert_memory_equal(blob.data, "bytes", 5);
    blob = popef_reader_blob(reader, first + 2);
    assert_int_equal(blob.size, sizeof(values));
    assert_memory_equal(blob.data, values, sizeof(values));
    blob = popef_reader_blob(reader, first + 3);
    assert_true(blob.kind == POPEF_TENSOR && blob.size == 0 && !blob.data);
    assert_int_equal(popef_reader_blob(reader, first + 4).size, 1);
}

static char path[64];

static int make_directory(void **state)
{
    (void)state;
    snprintf(path, sizeof(path), "/tmp/tremula-popef-XXXXXX");
    return mkdtemp(path) ? (strcat(path, "/m.popef"), 0) : -1;
}

static int remove_directory(void **state)
{
    (void)state;
    unlink(path);
    *strrchr(path, '/') = '\0';
    return rmdir(path); /* fails if anything was left behind */
}

static popef_writer *open_writer(bool append)
{
    pop_error error;
    popef_writer *writer = popef_writer_open(path, append, &error);
    if (!writer)
        fail_msg("%s", error.text);
    return writer;
}

static popef_reader *open_reader(void)
{
    pop_error error;
    popef_reader *reader = popef_reader_open(path, &error);
    if (!reader)
        fail_msg("%s", error.text);
    return reader;
}

static void what_is_written_is_read(void **state)
{
    (void)state;
    pop_error error;
    popef_writer *writer = open_writer(false);
    add_model(writer);
    assert_int_not_equal(access(path, F_OK), 0); /* until it is closed */
    assert_int_equal(popef_writer_close(writer, &error), POP_OK);
    popef_reader *reader = open_reader();
    assert_int_equal(popef_reader_count(reader), 5);
    check_model(reader, 0);
    assert_int_equal((uintptr_t)popef_reader_blob(reader, 2).data % 64, 0);
    assert_int_equal(popef_reader_blob(reader, 5).kind, 0);
    popef_reader_close(reader);

    writer = open_writer(true);
    add_model(writer);
    assert_int_equal(popef_writer_close(writer, &error), POP_OK);
    reader = open_reader();
    assert_int_equal(popef_reader_count(reader), 10);
    check_model(reader, 0);
    check_model(reader, 5);
    popef_reader_close(reader);
}

static size_t file_size(void)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return (size_t)size;
}

static void an_abandoned_writer_changes_nothing(void **state)
{
    (void)state;
    pop_error error;
    popef_writer *writer = open_writer(false);
    add_model(writer);
    assert_int_equal(popef_writer_close(writer, &error), POP_OK);
    size_t before = file_size();
    writer = open_writer(true);
    add_model(writer);
    popef_writer_abandon(writer);
    assert_int_equal(file_size(), before);
    writer = open_writer(false);
    add_model(writer);
    popef_writer_abandon(writer);
    assert_int_equal(file_size(), before);
    popef_reader *reader = open_reader();
    check_model(reader, 0);
    popef_reader_close(reader);
}

#define EXPECT(status, kind, words)                                                                                    \
    do {                                                                                                               \
        assert_int_equal(status, kind);                                                                                \
        if (!strstr(error.text, words))                                                                                \
            fail_msg("no '%s' in '%s'", words, error.text);                                                            \
    } while (0)

static void descriptions_are_checked(void **state)
{
    (void)state;
    pop_error error;
    popef_writer *writer = open_writer(false);
    uint64_t huge[] = { UINT64_C(1) << 40, UINT64_C(1) << 40 }, three[] = { 3 };
    EXPECT(add(writer, POPEF_EXECUTABLE, pop_profile_map_new(), "x", 1, &error), POP_PARSE_ERROR, "no text \"name\"");
    EXPECT(add(writer, POPEF_METADATA, pop_profile_map_new(), NULL, 0, &error), POP_PARSE_ERROR, "\"executable\"");
    EXPECT(add(writer, POPEF_METADATA, named("m"), "x", 1, &error), POP_PARSE_ERROR, "description alone");
    EXPECT(add(writer, POPEF_TENSOR, tensor("F31", 1, three), values, 12, &error), POP_PARSE_ERROR, "'F31'");
    EXPECT(add(writer, POPEF_TENSOR, tensor("F32", 1, three), values, 8, &error), POP_PARSE_ERROR, "need 12");
    EXPECT(add(writer, POPEF_TENSOR, tensor("F32", 2, huge), values, 8, &error), POP_PARSE_ERROR, "64 bits");
    EXPECT(add(writer, POPEF_FEED, tensor("F32", 1, three), values, 12, &error), POP_PARSE_ERROR, "\"tensors\"");
    EXPECT(add(writer, POPEF_KINDS, named("m"), NULL, 0, &error), POP_PARSE_ERROR, "no kind");
    EXPECT(add(writer, POPEF_OPAQUE, pop_profile_uint(1), NULL, 0, &error), POP_PARSE_ERROR, "no map");
    EXPECT(add(writer, POPEF_OPAQUE, named("o"), NULL, 1, &error), POP_RUNTIME_ERROR, "NULL");
    popef_writer_abandon(writer);
    assert_null(popef_writer_open("/nonexistent/x", false, &error));
    EXPECT(error.status, POP_FILE_LOAD_ERROR, "/nonexistent/x");
    assert_null(popef_reader_open("/tmp", &error));
    EXPECT(error.status, POP_FILE_LOAD_ERROR, "/tmp");
    FILE *full = fopen("/dev/full", "wb");
    setvbuf(full, NULL, _IONBF, 0);
    assert_null(popef_writer_create(full, &error));
    EXPECT(error.status, POP_FILE_LOAD_ERROR, "cannot be written");
    fclose(full);
}

/* A file in memory. */
static unsigned char *made(size_t *size)
{
    pop_error error;
    char *data = NULL;
    FILE *file = open_memstream(&data, size);
    popef_writer *writer = popef_writer_create(file, &error);
    assert_non_null(writer);
    add_model(writer);
    assert_int_equal(popef_writer_close(writer, &error), POP_OK);
    fclose(file);
    return (unsigned char *)data;
}

static void every_damage_is_found(void **state)
{
    (void)state;
    pop_error error;
    size_t size = 0;
    unsigned char *data = made(&size);
    for (size_t i = 0; i < size; ++i) { /* each byte, and each length */
        data[i] ^= 0x11;
        assert_null(popef_reader_of(data, size, "m", &error));
        assert_int_equal(error.status, POP_PARSE_ERROR);
        data[i] ^= 0x11;
        assert_null(popef_reader_of(data, i, "m", &error));
        assert_int_equal(error.status, POP_PARSE_ERROR);
    }
    popef_reader *reader = popef_reader_of(data, size, "m", &error);
    assert_non_null(reader);
    popef_reader_close(reader);
    free(data);
}

/* Alters a byte, with a checksum that fits. */
static void expect_altered(size_t at, unsigned char byte, const char *words)
{
    pop_error error;
    size_t size = 0;
    unsigned char *data = made(&size);
    data[at] = byte;
    XXH128_canonical_t sum;
    XXH128_canonicalFromHash(&sum, XXH3_128bits(data, size - sizeof(sum)));
    memcpy(data + size - sizeof(sum), &sum, sizeof(sum));
    assert_null(popef_reader_of(data, size, "m", &error));
    EXPECT(error.status, POP_PARSE_ERROR, words);
    free(data);
}

static void each_damage_has_its_error(void **state)
{
    (void)state;
    expect_altered(0, 'q', "no PopEF file");
    expect_altered(8, 2, "version 2");
    expect_altered(64, 9, "unknown kind 9");
    expect_altered(64 + 15, 0x7f, "cut off");
    expect_altered(128, 0x1c, "description of blob 0 (metadata)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_is_written_is_read, make_directory, remove_directory),
        cmocka_unit_test_setup_teardown(an_abandoned_writer_changes_nothing, make_directory, remove_directory),
        cmocka_unit_test(every_damage_is_found),
        cmocka_unit_test(each_damage_has_its_error),
    };
    const struct CMUnitTest errors[] = { cmocka_unit_test(descriptions_are_checked) };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(path, sizeof(path), "/tmp/tremula-popef-%ld", (long)getpid());
    return failed + cmocka_run_group_tests(errors, NULL, NULL);
}
