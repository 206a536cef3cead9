/* SPDX-License-Identifier: Apache-2.0 */
/* Each rule of image_check broken by itself: rules.def has a row for each, and each row is a test case. */
#include "image/image.h"
#include "unit/image/images.h"

enum { FAR = 0x7fffffff }; /* an index beyond any table */

static void set_word(struct image *image, size_t at, uint64_t word)
{
    memcpy(image->states.data + at, &word, sizeof(word));
}

static struct image_op *last_op(struct image *image, enum image_op_kind kind)
{
    size_t at = image->ops.count;
    while (image->ops.data[--at].kind != kind)
        assert_true(at > 0);
    return &image->ops.data[at];
}

#define RULE(name, words, ...)                                                                                         \
    static void name(struct image *image, struct model *m)                                                             \
    {                                                                                                                  \
        (void)image, (void)m;                                                                                          \
        __VA_ARGS__;                                                                                                   \
    }
#include "rules.def"
#undef RULE

static const struct rule {
    const char *name, *words;
    void (*damage)(struct image *image, struct model *m);
} rules[] = {
#define RULE(name, words, ...) { #name, words, name },
#include "rules.def"
#undef RULE
};
enum { RULES = sizeof(rules) / sizeof(rules[0]) };

static void is_refused(void **state)
{
    const struct rule *rule = *state;
    struct image *image = make(), *read;
    char *data;
    size_t size;
    rule->damage(image, &image->model);
    image_write(image, &data, &size);
    assert_fails(image_read("x.exe", data, size, &read, error), POP_FILE_LOAD_ERROR, rule->words);
    free(data);
    image_release(image);
}

static void an_image_without_damage_is_read(void **state)
{
    (void)state;
    struct image *image = make(), *read;
    char *data;
    size_t size;
    image_write(image, &data, &size);
    assert_int_equal(image_read("x.exe", data, size, &read, NULL), POP_OK);
    free(data);
    image_release(read);
    image_release(image);
}

static int setup(void **state)
{
    (void)state;
    images_begin();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    images_end();
    return 0;
}

int main(void)
{
    struct CMUnitTest tests[1 + RULES] = { cmocka_unit_test(an_image_without_damage_is_read) };
    for (size_t i = 0; i < RULES; ++i)
        tests[1 + i] =
            (struct CMUnitTest){ .name = rules[i].name, .test_func = is_refused, .initial_state = (void *)&rules[i] };
    return cmocka_run_group_tests(tests, setup, teardown);
}
