/* SPDX-License-Identifier: Apache-2.0 */
#include "base/container.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static const char magic[8] = "TESTFIL1";

static void build(char **file, size_t *size)
{
    static const struct container_section sections[] = { { "empty", NULL, 0 },
                                                         { "one", "x", 1 },
                                                         { "sixteen letters!", "0123456789", 10 },
                                                         { "prime", "abcdefghijklmnopqrstuvwxyz012345678", 31 } };
    container_build(magic, 3, sections, 4, file, size);
}

static pop_status open_copy(const void *data, size_t size, uint32_t version, size_t capacity, size_t *count,
                            pop_error *error)
{
    /* An exact copy on the heap, so that a sanitizer sees a read beyond its end. */
    void *copy = mem_copy(data, size);
    struct container_section sections[8];
    pop_status status =
        container_open(magic, version, "test file", "a.test", copy, size, sections, capacity, count, error);
    free(copy);
    return status;
}

static void test_sections_are_read_back(void **state)
{
    (void)state;
    char *file;
    size_t size, count, bytes;
    build(&file, &size);
    struct container_section sections[4];
    assert_int_equal(container_open(magic, 3, "test file", "a.test", file, size, sections, 4, &count, NULL), POP_OK);
    assert_int_equal(count, 4);
    const void *data = container_find(sections, count, "prime", &bytes);
    assert_int_equal(bytes, 31);
    assert_memory_equal(data, "abcdefghijklmnopqrstuvwxyz012345678", 31);
    assert_int_equal((size_t)((const char *)data - file) % 64, 0);
    assert_non_null(container_find(sections, count, "sixteen letters!", &bytes));
    assert_non_null(container_find(sections, count, "empty", &bytes));
    assert_int_equal(bytes, 0);
    assert_null(container_find(sections, count, "other", &bytes));
    free(file);
}

static void test_truncated_files_are_refused(void **state)
{
    (void)state;
    char *file;
    size_t size, count;
    pop_error error;
    build(&file, &size);
    for (size_t length = 0; length < size; ++length) {
        assert_int_equal(open_copy(file, length, 3, 8, &count, &error), POP_FILE_LOAD_ERROR);
        assert_non_null(strstr(error.text, "'a.test'"));
        assert_int_equal(count, 0);
    }
    assert_non_null(strstr(error.text, "truncated"));
    free(file);
}

static void test_every_altered_bit_is_refused(void **state)
{
    (void)state;
    char *file;
    size_t size, count;
    build(&file, &size);
    for (size_t bit = 0; bit < size * 8; ++bit) {
        file[bit / 8] ^= (char)(1 << bit % 8);
        assert_int_equal(open_copy(file, size, 3, 8, &count, NULL), POP_FILE_LOAD_ERROR);
        file[bit / 8] ^= (char)(1 << bit % 8);
    }
    assert_int_equal(open_copy(file, size, 3, 8, &count, NULL), POP_OK);
    free(file);
}

static void test_version_kind_and_capacity(void **state)
{
    (void)state;
    char *file;
    size_t size, count;
    pop_error error;
    build(&file, &size);
    assert_int_equal(open_copy(file, size, 4, 8, &count, &error), POP_FILE_LOAD_ERROR);
    assert_non_null(strstr(error.text, "format version 3, this library reads version 4"));
    assert_int_equal(open_copy(file, size, 3, 3, &count, &error), POP_FILE_LOAD_ERROR);
    assert_int_equal(open_copy("#include <stdio.h>\nint main(void) {}", 30, 3, 8, &count, &error), POP_FILE_LOAD_ERROR);
    assert_string_equal(error.text, "'a.test' is not a test file");
    free(file);
    container_build(magic, 1, NULL, 0, &file, &size);
    assert_int_equal(open_copy(file, size, 1, 0, &count, &error), POP_OK);
    free(file);
}

static void test_bytes_and_reader(void **state)
{
    (void)state;
    struct bytes b = { { 0 } };
    bytes_u8(&b, 200);
    bytes_u32(&b, 0x12345678);
    bytes_u64(&b, UINT64_MAX);
    bytes_string(&b, "poplar");
    bytes_string(&b, NULL);
    bytes_put(&b, NULL, 0);
    bytes_u64(&b, 3);
    bytes_put(&b, "abcdef", 6);
    struct container_reader r = { b.v.data, b.v.count, 0, false };
    assert_int_equal(reader_u8(&r), 200);
    assert_int_equal(reader_u32(&r), 0x12345678);
    assert_true(reader_u64(&r) == UINT64_MAX);
    char *text = reader_string(&r), *empty = reader_string(&r);
    assert_string_equal(text, "poplar");
    assert_string_equal(empty, "");
    assert_int_equal(reader_count(&r, 2), 3);
    assert_memory_equal(reader_take(&r, 6), "abcdef", 6);
    assert_false(r.failed);
    assert_null(reader_take(&r, 1));
    assert_true(r.failed);
    assert_int_equal(reader_u64(&r), 0);
    free(text);
    free(empty);
    vec_free(&b.v);
}

static void test_reader_refuses_counts_beyond_the_data(void **state)
{
    (void)state;
    struct bytes b = { { 0 } };
    bytes_u64(&b, (uint64_t)1 << 61);
    bytes_u64(&b, 0);
    struct container_reader r = { b.v.data, b.v.count, 0, false };
    assert_int_equal(reader_count(&r, 8), 0);
    assert_true(r.failed);
    vec_free(&b.v);
    bytes_u32(&b, UINT32_MAX);
    r = (struct container_reader){ b.v.data, b.v.count, 0, false };
    char *text = reader_string(&r);
    assert_string_equal(text, "");
    assert_true(r.failed);
    free(text);
    vec_free(&b.v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sections_are_read_back),
        cmocka_unit_test(test_truncated_files_are_refused),
        cmocka_unit_test(test_every_altered_bit_is_refused),
        cmocka_unit_test(test_version_kind_and_capacity),
        cmocka_unit_test(test_bytes_and_reader),
        cmocka_unit_test(test_reader_refuses_counts_beyond_the_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
