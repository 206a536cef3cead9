/* SPDX-License-Identifier: Apache-2.0 */
/* The code of the compiler's own copies: the table has the sizes that popc measures for codelets that do the same. */
#include "popc/module/device_code.h"
#include "popc/module/module.h"
#include "popc/popc.h"
#include "target/copy_cost.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
/* cmocka needs the above first */
#include <cmocka.h>

#include <stdlib.h>

#include "base/file.h"
#include "base/str.h"
#include "popc/module/machine.h"

static const char *const types[] = {
#define COPY_CODE(type, bytes) type,
#include "target/copy_code.def"
#undef COPY_CODE
};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

static const struct codelet *codelet_named(const struct module *module, const char *name)
{
    for (uint32_t i = 0; i < module->codelet_count; ++i)
        if (strcmp(module->codelets[i].name, name) == 0)
            return &module->codelets[i];
    return NULL;
}

/* Another version's code has other sizes. */
static bool measured_with_this_clang(void)
{
    struct str path = { 0 }, identity = { 0 };
    char *clang = machine_device_compiler(&path, &identity) ? realpath(str_text(&path), NULL) : NULL;
    bool same = clang && strstr(clang, "llvm-14/");
    free(clang);
    str_free(&path);
    str_free(&identity);
    return same;
}

static void test_measured(void **state)
{
    (void)state;
    bool same = measured_with_this_clang();
    if (!same)
        print_message("sizes are not compared: clang is missing, or is not version 14\n");
    char *text;
    size_t size;
    pop_error error;
    struct module *module;
    pop_target target;
    assert_int_equal(file_read(SOURCE_DIR "/tests/unit/popc/copy_vertices.c", &text, &size, &error), POP_OK);
    if (popc_compile("copy_vertices.c", text, "-O2 --target ipu2", &module, &error) != POP_OK)
        fail_msg("%s", error.text);
    assert_int_equal(pop_target_create_ipu(1, "ipu2", &target, &error), POP_OK);
    assert_int_equal(module->codelet_count, TYPES);
    for (size_t i = 0; i < TYPES; ++i) {
        struct device_code code;
        const struct codelet *codelet = codelet_named(module, types[i] + strlen("poplar_rt::"));
        assert_non_null(codelet);
        assert_true(device_code_of(module, codelet, &target, &code));
        assert_true(copy_code_bytes(types[i]) > 0);
        if (same && (code.estimated || code.bytes != copy_code_bytes(types[i])))
            fail_msg("%s has %u bytes, not %u", types[i], (unsigned)code.bytes, (unsigned)copy_code_bytes(types[i]));
    }
    module_release(module);
    free(text);
}

static void test_another_type(void **state)
{
    (void)state;
    assert_int_equal(copy_code_bytes("poplar_rt::Other"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_measured), cmocka_unit_test(test_another_type) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
