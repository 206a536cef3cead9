/* SPDX-License-Identifier: Apache-2.0 */
/* Files of debug information: their layout, in both formats, and no cost without a file. */
#include "unit/profile/values.h"

#include <poplar/debug.h>

#include "base/file.h"

static void write_two(void)
{
    pop_profile_value values = pop_profile_map_new();
    pop_profile_set(&values, "api", pop_profile_string("add"));
    pop_debug_write(&(pop_debug_record){ 2, 1, "poplibs", "layer/add", { "model.cpp", 12, 0 }, "build", &values });
    pop_debug_write(&(pop_debug_record){ .id = 1, .layer = "popart", .name = "layer" });
    pop_profile_free(&values);
}

static const char expected[] = "{\"contexts\":[{\"api\":\"add\",\"id\":2,\"layer\":\"poplibs\",\"location\":{"
                               "\"fileName\":2,\"functionName\":3,\"lineNumber\":12},\"name\":1,"
                               "\"parentId\":1},{\"id\":1,\"layer\":\"popart\",\"name\":4}],\"stringTable\":[\"\","
                               "\"layer/add\",\"model.cpp\",\"build\",\"layer\"]}";

static void expect_file(const char *path, pop_debug_format format)
{
    char *data;
    size_t size;
    pop_profile_value read;
    assert_int_equal(file_read(path, &data, &size, NULL), POP_OK);
    if (format == POP_DEBUG_JSON)
        assert_int_equal(pop_profile_read_json(data, size, &read, NULL), POP_OK);
    else
        assert_int_equal(pop_profile_read_cbor(data, size, &read, NULL), POP_OK);
    char *text = json_of(&read);
    assert_string_equal(text, expected);
    free(text);
    free(data);
    pop_profile_free(&read);
    remove(path);
}

static void both_formats_hold_the_records(void **state)
{
    (void)state;
    for (int format = POP_DEBUG_JSON; format <= POP_DEBUG_CBOR; ++format) {
        assert_int_equal(pop_debug_open("test_debug.out", (pop_debug_format)format, NULL), POP_OK);
        assert_true(pop_debug_is_open());
        write_two();
        assert_int_equal(pop_debug_close(NULL), POP_OK);
        expect_file("test_debug.out", (pop_debug_format)format);
    }
}

static void a_second_file_completes_the_first(void **state)
{
    (void)state;
    assert_int_equal(pop_debug_open("test_debug.first", POP_DEBUG_CBOR, NULL), POP_OK);
    write_two();
    assert_int_equal(pop_debug_open("test_debug.second", POP_DEBUG_JSON, NULL), POP_OK);
    expect_file("test_debug.first", POP_DEBUG_CBOR);
    write_two();
    assert_int_equal(pop_debug_close(NULL), POP_OK);
    expect_file("test_debug.second", POP_DEBUG_JSON);
}

static void nothing_happens_without_a_file(void **state)
{
    (void)state;
    assert_false(pop_debug_is_open());
    write_two();
    assert_int_equal(pop_debug_close(NULL), POP_OK);
}

static void ids_differ(void **state)
{
    (void)state;
    uint64_t first = pop_debug_new_id();
    assert_true(first > 0 && pop_debug_new_id() > first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_hold_the_records),
        cmocka_unit_test(a_second_file_completes_the_first),
        cmocka_unit_test(nothing_happens_without_a_file),
        cmocka_unit_test(ids_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
