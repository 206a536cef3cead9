/* SPDX-License-Identifier: Apache-2.0 */
/* docs/reference/tile-instructions.md is what the table of instructions says; `test_table write` writes it. */
#include "run.h"

#include "base/file.h"

#define PAGE SOURCE_DIR "/docs/reference/tile-instructions.md"

static const struct {
    const char *section, *title;
} sections[] = {
    { "INTEGER", "Integers" },
    { "SHIFT", "Shifts and permutations" },
    { "CONTROL", "Control" },
    { "CSR", "Control registers" },
    { "LOAD", "Loads and stores" },
    { "STEP", "Loads and stores that advance an address" },
    { "PACE", "Packed addresses" },
    { "DELTA", "Deltas" },
    { "CONFIG", "Weights" },
    { "LOGIC", "Logic and moves of a registers" },
    { "FLOAT", "Floating point, element by element" },
    { "FUNCTION", "Functions" },
    { "CONVERT", "Conversions" },
    { "AMP", "AMP" },
    { "SLIC", "SLIC" },
    { "ACCUMULATE", "Accumulators" },
    { "RANDOM", "Random numbers" },
};

static void add_operand(struct str *text, const struct tile_operand *operand)
{
    static const char *const names[TILE_KINDS] = { [TILE_M] = "m",
                                                   [TILE_M2] = "m2",
                                                   [TILE_A] = "a",
                                                   [TILE_A2] = "a2",
                                                   [TILE_A4] = "a4",
                                                   [TILE_Z4] = "z4",
                                                   [TILE_Z6] = "z6",
                                                   [TILE_Z8] = "z8",
                                                   [TILE_Z12] = "z12",
                                                   [TILE_Z16] = "z16",
                                                   [TILE_Z19] = "z19",
                                                   [TILE_Z20] = "z20",
                                                   [TILE_S8] = "s8",
                                                   [TILE_S16] = "s16",
                                                   [TILE_IZ12] = "iz12",
                                                   [TILE_TARGET19] = "label",
                                                   [TILE_TARGET20] = "label",
                                                   [TILE_CSR] = "csr",
                                                   [TILE_UCSR] = "csr" };
    static const char *const suffixes[] = { "", "+=", "++", ">>", "@" };
    static const char *const spreads[] = { "", "[:BL]", "[:BU]", "[:BL\\|:BU]" };
    str_format(text, "%s%s%s", names[operand->kind], suffixes[operand->suffix], spreads[operand->spread]);
}

/* "`add m, m, m`; `add m, m, s16`" */
static void add_forms(struct str *text, const struct tile_form *forms, size_t count)
{
    for (size_t f = 0; f < count; ++f) {
        str_format(text, "%s`%s", f ? "; " : "", forms[f].name);
        for (unsigned i = 0; i < forms[f].operands; ++i) {
            str_add(text, i ? ", " : " ");
            add_operand(text, forms[f].operand + i);
        }
        str_add(text, "`");
        str_add(text, forms[f].flags & TILE_FROM_IPU21 ? " (ipu21)" : forms[f].flags & TILE_FROM_IPU2 ? " (ipu2)" : "");
    }
}

static void add_mnemonic(struct str *text, const struct tile_mnemonic *mnemonic)
{
    size_t count;
    const struct tile_form *forms = tile_forms_named(mnemonic->name, &count);
    bool main = false, aux = false, supervisor = false;
    for (size_t f = 0; f < count; ++f) {
        main |= forms[f].lane == TILE_MAIN;
        aux |= forms[f].lane == TILE_AUX;
        supervisor |= forms[f].flags & TILE_SUPERVISOR;
    }
    str_add(text, "| ");
    add_forms(text, forms, count);
    str_format(text, " | %s | %u | %s |\n",
               supervisor    ? "supervisor"
               : main && aux ? "both"
               : main        ? "main"
                             : "aux",
               mnemonic->slots, mnemonic->what);
}

static void make_page(struct str *text)
{
    str_add(text,
            "# Instructions of a tile\n\n"
            "Made from [forms.def](../../src/tile/forms.def) and [mnemonics.def](../../src/tile/mnemonics.def) by "
            "`test_table write`; a test compares them.\n"
            "Registers: m, a; pairs m2, a2; quads a4. Immediates: z zero-extended, s sign-extended, iz the top bits of "
            "a word, label an address.\n"
            "`:BL` of a float is written `:B`. (ipu2): not on ipu1; (ipu21): there alone.\n"
            "[tile-isa.md](tile-isa.md) says what the instructions do in detail.\n");
    for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); ++s) {
        str_format(text, "\n## %s\n\n| forms | pipeline | slots | result |\n| --- | --- | --- | --- |\n",
                   sections[s].title);
        for (size_t m = 0; m < tile_mnemonic_count; ++m)
            if (strcmp(tile_mnemonics[m].section, sections[s].section) == 0)
                add_mnemonic(text, tile_mnemonics + m);
    }
}

static void the_page_is_the_table(void **state)
{
    (void)state;
    struct str text = { 0 };
    char *page;
    size_t size;
    pop_error error = { 0 };
    make_page(&text);
    assert_int_equal(file_read(PAGE, &page, &size, &error), POP_OK);
    assert_int_equal(size, text.length);
    assert_memory_equal(page, text.text, size);
    free(page);
    str_free(&text);
}

/* Each instruction is in one section and has a form; names are sorted, which look-ups rely on. */
static void the_table_is_complete(void **state)
{
    (void)state;
    for (size_t m = 0; m < tile_mnemonic_count; ++m) {
        size_t count, found = 0;
        assert_non_null(tile_forms_named(tile_mnemonics[m].name, &count));
        for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); ++s)
            found += strcmp(tile_mnemonics[m].section, sections[s].section) == 0;
        assert_int_equal(found, 1);
        assert_true(m == 0 || strcmp(tile_mnemonics[m - 1].name, tile_mnemonics[m].name) < 0);
    }
    for (size_t f = 1; f < tile_form_count; ++f)
        assert_true(strcmp(tile_forms[f - 1].name, tile_forms[f].name) <= 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_page_is_the_table),
                                        cmocka_unit_test(the_table_is_complete) };
    if (argc > 1 && strcmp(argv[1], "write") == 0) {
        struct str text = { 0 };
        pop_error error = { 0 };
        make_page(&text);
        bool good = file_write(PAGE, text.text, text.length, &error) == POP_OK;
        str_free(&text);
        return good ? 0 : 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
