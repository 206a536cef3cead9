/* SPDX-License-Identifier: Apache-2.0 */
/* archive.a: binutils and libelf read the placement from it. */
#include "unit/profile/values.h"

#include "base/file.h"
#include "report/report.h"

#include <ar.h>
#include <elf.h>

/* Two tiles, the second with blocks that share addresses. */
static struct image *small_image(void)
{
    struct image *image = image_create();
    struct placement *placed = MEM_NEW(struct placement);
    static const char names[] = "a\0b/c\0code"; /* from string 1 on */
    static const struct placement_block blocks[] = {
        { .offset = 16,
          .bytes = 8,
          .tile = 0,
          .name = 1,
          .class = PLACED_ALWAYS,
          .alignment = 8,
          .category = MODEL_VARIABLE_CATEGORY },
        { .offset = 0,
          .bytes = 13,
          .tile = 1,
          .name = 7,
          .class = PLACED_ALWAYS,
          .alignment = 4,
          .category = MODEL_VERTEX_CODE_CATEGORY,
          .code = true },
        { .offset = 100,
          .bytes = 20,
          .tile = 1,
          .name = 1,
          .class = 2,
          .alignment = 4,
          .category = MODEL_VARIABLE_CATEGORY },
        { .offset = 108,
          .bytes = 40,
          .tile = 1,
          .name = 3,
          .class = 3,
          .alignment = 4,
          .category = MODEL_MESSAGE_CATEGORY },
    };
    static const size_t first[] = { 0, 1, 4 };
    memcpy(vec_extend(&image->strings, sizeof(names)), names, sizeof(names));
    memcpy(vec_extend(&placed->blocks, 4), blocks, sizeof(blocks));
    memcpy(vec_extend(&placed->first, 3), first, sizeof(first));
    placed->tiles = 2;
    image->placement = placed;
    return image;
}

static char *command_output(const char *command)
{
    struct str text = { 0 };
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    char line[256];
    while (fgets(line, sizeof(line), pipe))
        str_add(&text, line);
    assert_int_equal(pclose(pipe), 0);
    str_add(&text, "");
    return text.text;
}

static void expect_output(const char *command, const char *const *parts, size_t count)
{
    char *text = command_output(command);
    for (size_t i = 0; i < count; ++i)
        if (!strstr(text, parts[i]))
            fail_msg("%s prints no '%s':\n%s", command, parts[i], text);
    free(text);
}

static void binutils_read_the_archive(void **state)
{
    (void)state;
    struct image *image = small_image();
    assert_int_equal(archive_write(image, "test_archive.a", NULL, NULL), POP_OK);
    char *members = command_output("ar t test_archive.a");
    assert_string_equal(members, "tile0.elf\ntile1.elf\n");
    free(members);
    expect_output("size -A test_archive.a 2>&1",
                  (const char *[]){ ".vertexCode     13      0", ".message        40    108", "Total           73" },
                  3);
    expect_output(
        "nm --print-size test_archive.a 2>&1",
        (const char *[]){ "00000010 00000008", " a\n", "0000006c 00000028", " b/c\n", "00000000 0000000d T code" }, 5);
    expect_output("ar p test_archive.a tile1.elf > test_archive.elf && readelf -W --segments --sections --symbols "
                  "test_archive.elf 2>&1",
                  (const char *[]){ "There are 2 program headers", "0x00000064 0x00000064 0x00000 0x00030",
                                    ".vertexCode", "OBJECT  GLOBAL DEFAULT    3 b/c" },
                  4);
    char *warnings = command_output("readelf -W -a test_archive.elf 2>&1 >/dev/null");
    assert_string_equal(warnings, "");
    free(warnings);
    remove("test_archive.elf");
    remove("test_archive.a");
    image_release(image);
}

static void the_same_placement_is_the_same_archive(void **state)
{
    (void)state;
    char *data[2];
    size_t size[2];
    for (int i = 0; i < 2; ++i) {
        struct image *image = small_image();
        assert_int_equal(archive_write(image, "test_archive.b", NULL, NULL), POP_OK);
        assert_int_equal(file_read("test_archive.b", &data[i], &size[i], NULL), POP_OK);
        image_release(image);
    }
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(data[0], data[1], size[0]);
    free(data[0]);
    free(data[1]);
    remove("test_archive.b");
}

static void unwritable_files_are_errors(void **state)
{
    (void)state;
    pop_error error = { 0 };
    struct image *image = small_image();
    assert_int_equal(archive_write(image, "no/such/directory/archive.a", NULL, &error), POP_FILE_LOAD_ERROR);
    assert_non_null(strstr(error.text, "no/such/directory/archive.a"));
    image->placement->blocks.data[0].offset = UINT32_MAX;
    assert_int_equal(archive_write(image, "test_archive.c", NULL, &error), POP_FILE_LOAD_ERROR);
    assert_non_null(strstr(error.text, "'a' on tile 0"));
    assert_null(fopen("test_archive.c", "r"));
    placement_free(image->placement);
    image->placement = NULL;
    assert_int_equal(archive_write(image, "test_archive.c", NULL, &error), POP_FILE_LOAD_ERROR);
    image_release(image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(binutils_read_the_archive),
        cmocka_unit_test(the_same_placement_is_the_same_archive),
        cmocka_unit_test(unwritable_files_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
