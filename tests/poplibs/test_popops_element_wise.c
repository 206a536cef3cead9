/* SPDX-License-Identifier: Apache-2.0 */
/* Every operator of operators.def, every type, both devices, scattered and other mappings, all three forms, against double precision. */
#include "poplibs/element_wise_references.h"

#include <popops/codelets.h>

/* Operands in one shape or one of them a single element, and what should come out, as the result's type holds it. */
static pop_type operand_type(const struct operator_test *test, pop_type type, int operand)
{
    return test->arity == 3 && test->op == POPOPS_TERNARY_SELECT && operand == 2 ? POP_BOOL : type;
}
static void add_inputs(struct bed *bed, const struct operator_test *test, pop_type type, enum bed_mapping mapping, int scalar, pop_tensor *in)
{
    for (int i = 0; i < test->arity; ++i) {
        pop_type own = operand_type(test, type, i);
        struct operator_range range = operator_range(test, own, i);
        if (own == POP_BOOL)
            range = (struct operator_range){ 0, 2 };
        in[i] = bed_input_of(bed, own, i == scalar ? POP_SHAPE() : POP_SHAPE(7, 11), mapping, range.low, range.high);
    }
}
static void check(struct bed *bed, const struct operator_test *test, pop_type type, int scalar, const pop_tensor *in, const double *got)
{
    double given[3] = { 0 }, wanted[77];
    for (size_t k = 0; k < 77; ++k) {
        for (int i = 0; i < test->arity; ++i)
            given[i] = bed_given(bed, in[i])[i == scalar ? 0 : k];
        wanted[k] = operator_reference(test, type, given[0], given[1], given[2]);
    }
    bool real = pop_type_is_floating_point(type) && !test->boolean;
    bool steep = test->arity == 1 && test->op == POPOPS_UNARY_GELU_ERF; /* its tail magnifies what rounding does to the argument */
    double relative = !real ? 0 : type == POP_FLOAT ? (steep ? 4e-6 : 5e-7) : 1e-3;
    for (size_t k = 0; k < 77; ++k)
        if (!(fabs(got[k] - wanted[k]) <= relative * fabs(wanted[k]) + (real ? type == POP_FLOAT ? 1e-37 : 6e-8 : 0)))
            fail_msg("%s of %s, element %zu (%.9g, ...): %.9g where %.9g was expected", test->name, pop_type_name(type), k, bed_given(bed, in[0])[k], got[k],
                     wanted[k]);
}

enum { BATCH = 5 };
enum form { NEW, IN_PLACE, WITH_OUTPUT, FORMS };

static bool has_form(const struct operator_test *test, pop_type type, enum form form)
{
    return form != IN_PLACE || !test->boolean || type == POP_BOOL;
}
/* The result; in place it is the first operand itself. */
static pop_tensor add_operator(struct bed *bed, const struct operator_test *test, pop_type type, const pop_tensor *in, enum form form)
{
    if (form == NEW)
        return test->new_one(bed->graph, in, bed->program);
    if (form == IN_PLACE) {
        test->in_place(bed->graph, in, bed->program);
        return in[0];
    }
    pop_tensor out = pop_graph_add_variable(bed->graph, test->boolean ? POP_BOOL : type, POP_SHAPE(7, 11), "out");
    bed_map(bed, out, BED_SCATTERED);
    test->with_output(bed->graph, in, out, bed->program);
    return out;
}

/* All operators of a type in few programs: building engines is what takes time.  scalar is the operand of one element, or -1. */
static void test_type(enum bed_device device, pop_type type, enum bed_mapping mapping, int scalar, enum form form)
{
    for (size_t from = 0; from < OPERATOR_TESTS;) {
        struct bed bed = bed_open(device, 5, popops_add_codelets_at);
        pop_tensor in[BATCH][3], out[BATCH];
        const struct operator_test *tests[BATCH];
        double *got[BATCH];
        size_t count = 0;
        for (; from < OPERATOR_TESTS && count < BATCH; ++from) {
            const struct operator_test *test = &operator_tests[from];
            if (!(test->types >> type & 1) || scalar >= test->arity || (test->arity == 1 && scalar >= 0) || !has_form(test, type, form))
                continue;
            add_inputs(&bed, test, type, mapping, scalar, in[count]);
            out[count] = add_operator(&bed, test, type, in[count], form);
            tests[count++] = test;
        }
        bed_run_all(&bed, out, got, count);
        for (size_t i = 0; i < count; ++i)
            check(&bed, tests[i], type, scalar, in[i], got[i]);
        bed_close(&bed);
    }
}

static void test_every_operator_on_every_type(void **state)
{
    (void)state;
    for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type)
        if (pop_type_is_supported(type)) {
            test_type(BED_CPU, type, BED_LINEAR, -1, NEW);
            test_type(BED_MODEL, type, BED_SCATTERED, -1, NEW);
            test_type(BED_MODEL, type, BED_LINEAR, -1, NEW);
        }
}
static void test_in_place_and_with_output(void **state)
{
    (void)state;
    for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type)
        if (pop_type_is_supported(type)) {
            test_type(BED_CPU, type, BED_SCATTERED, -1, IN_PLACE);
            test_type(BED_MODEL, type, BED_SCATTERED, -1, IN_PLACE);
            test_type(BED_MODEL, type, BED_LINEAR, -1, IN_PLACE);
            test_type(BED_MODEL, type, BED_LINEAR, -1, WITH_OUTPUT);
        }
}
/* The first operand of an operation in place cannot be the one element. */
static void test_operands_of_one_element(void **state)
{
    (void)state;
    for (pop_type type = POP_BOOL; type < POP_TYPE_COUNT; ++type)
        for (int scalar = 0; scalar < 3 && pop_type_is_supported(type); ++scalar) {
            test_type(scalar % 2 ? BED_CPU : BED_MODEL, type, BED_SCATTERED, scalar, NEW);
            test_type(BED_MODEL, type, BED_LINEAR, scalar, scalar ? IN_PLACE : WITH_OUTPUT);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_operator_on_every_type),
        cmocka_unit_test(test_in_place_and_with_output),
        cmocka_unit_test(test_operands_of_one_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
