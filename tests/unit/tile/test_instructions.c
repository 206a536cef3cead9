/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions by the vectors of the reference, and the checks that a run makes. */
#include "run.h"

struct vector {
    enum tile_arch arch;
    const char *before, *code, *after;
    unsigned slots;
};
static const struct vector vectors[] = {
#define VECTOR(arch, before, code, after, slots) { TILE_##arch, before, code, after, slots },
#include "vectors.def"
};

static void vectors_give_their_results(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); ++i) {
        const struct vector *v = vectors + i;
        struct snippet s;
        print_message("%s\n", v->code);
        snippet_make(&s, v->arch, v->code);
        each_setting(s.tile, v->before, false);
        if (!snippet_run(&s))
            fail_msg("%s", s.result.fault.text);
        each_setting(s.tile, v->after, true);
        assert_int_equal(s.result.slots, v->slots + 1);
        snippet_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(vectors_give_their_results) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
