/* SPDX-License-Identifier: Apache-2.0 */
/* Custom floats against lists of all values of a format, in every rounding mode, packed and as halves and floats;
 * stochastic rounding by its averages; conversions of halves; types that are chosen; errors. */
#include "poplibs/numeric.h"

#include <popfloat/cast_to_half.h>
#include <popfloat/gfloat.h>

enum { SAMPLES = 3000, MODES = 5 };

/* ---- the reference: all magnitudes that a format rounds to, in order ---- */

struct values {
    double *list;
    size_t count;
    double largest, least; /* what is below least becomes 0 */
    bool odd;              /* whether an even mantissa is at an odd place */
};

static void add(struct values *v, double value)
{
    v->list[v->count++] = value;
}
/* Without denormals, exponents go on below the least one: such values are rounded to, and then are 0. */
static struct values values_of(const popfloat_format *f)
{
    unsigned mantissas = 1u << f->mantissa_bits, exponents = 1u << f->exponent_bits;
    struct values v = { malloc(sizeof(double) * mantissas * (exponents + 160)), 0, 0, 0, false };
    bool block = !f->exponent_bits || (f->exponent_bits == 1 && f->infinities);
    add(&v, 0);
    v.odd = !f->denormals && !block;
    if (v.odd)
        for (int e = 1 - f->bias - 150; e < 1 - f->bias; ++e)
            for (unsigned m = 0; m < mantissas; ++m)
                add(&v, ldexp(1 + (double)m / mantissas, e));
    else
        for (unsigned m = 1; m < mantissas; ++m)
            add(&v, ldexp((double)m / mantissas, 1 - f->bias));
    for (unsigned e = 1; e < exponents - f->infinities; ++e)
        for (unsigned m = 0; m < mantissas; ++m)
            add(&v, ldexp(1 + (double)m / mantissas, (int)e - f->bias));
    v.largest = v.list[v.count - 1];
    v.least = f->denormals || !f->exponent_bits ? 0 : ldexp(1, 1 - f->bias);
    /* the value after the largest one, where rounding overflows */
    add(&v, v.largest + (v.largest - v.list[v.count - 2]));
    return v;
}

/* The value that x becomes; NaN and infinities as they are. */
static double rounded(const struct values *v, popfloat_round mode, bool nanoo, double x)
{
    double size = fabs(x), result;
    if (isnan(x) || x == 0)
        return x;
    if (isinf(x))
        return nanoo ? x : copysign(v->largest, x);
    if (size >= v->list[v->count - 1])
        return nanoo ? NAN : copysign(v->largest, x);
    size_t low = 0, high = v->count - 1; /* list[low] <= size < list[high] */
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (v->list[middle] <= size)
            low = middle;
        else
            high = middle;
    }
    double below = v->list[low], above = v->list[high], half = below + (above - below) / 2;
    bool up = mode == POPFLOAT_ROUND_RN   ? size > half || (size == half && low % 2 != v->odd)
              : mode == POPFLOAT_ROUND_RA ? size >= half
              : mode == POPFLOAT_ROUND_RU ? x > 0
                                          : mode == POPFLOAT_ROUND_RD && x < 0;
    result = size > below && up ? above : below;
    if (result > v->largest)
        return nanoo ? NAN : copysign(v->largest, x);
    return copysign(result < v->least ? 0 : result, x);
}

/* ---- devices ---- */

/* Values of a format, middles between them, their neighbours, and some that no format has. */
static void samples(const struct values *v, pop_type type, double *x)
{
    static const double special[] = { 0, 1e-40, 1e30, 3e38, 1, 1.1, 65504, 1e-6 };
    uint64_t random = 7;
    for (size_t i = 0; i < SAMPLES; ++i) {
        size_t at = v->count <= SAMPLES / 8 ? i / 8 % (v->count - 1) : next_random(&random) % (v->count - 1);
        double low = v->list[at], high = v->list[at + 1], middle = low + (high - low) / 2;
        const double choices[] = { low, middle, middle * (1 + 1e-6), middle * (1 - 1e-6), low + (high - low) / 3 };
        x[i] = i < 8 ? special[i] : i < 10 ? INFINITY : i == 10 ? NAN : choices[i % 5];
        x[i] = i % 2 ? -x[i] : x[i];
    }
    void *device = malloc(SAMPLES * sizeof(float));
    pop_convert(POP_DOUBLE, x, type, device, SAMPLES);
    pop_convert(type, device, POP_DOUBLE, x, SAMPLES);
    free(device);
}

static void same(double got, double wanted, bool minus_zero, const char *what, double x)
{
    if (isnan(wanted) ? !isnan(got) : got != wanted || (minus_zero && signbit(got) != signbit(wanted)))
        fail_msg("%s of %.17g: %.17g where %.17g was expected", what, x, got, wanted);
}

/* A cast in each mode, with nanoo and without, and what the native type makes of it. */
static void check_format(enum fixture_device device, const popfloat_format *given, popfloat_spec spec,
                         popfloat_format_type type)
{
    popfloat_cast cast = { .rounding = { 0 } };
    popfloat_format f = popfloat_effective_format(given), again = popfloat_unpack_format(popfloat_pack_format(&f));
    assert_memory_equal(&f.bias, &again.bias, sizeof(f.bias));
    assert_true(popfloat_choose_cast(&f, spec, POPFLOAT_SPEC_AUTO, &cast));
    assert_string_equal(popfloat_format_type_name(cast.type), popfloat_format_type_name(type));
    struct values v = values_of(&f);
    struct fixture fixture = fixture_open(device, 4, popfloat_add_codelets_at);
    double x[SAMPLES], *got[2 * MODES];
    samples(&v, cast.native, x);
    pop_tensor in = pop_graph_add_variable(fixture.graph, cast.native, POP_SHAPE(SAMPLES), "in"), out[2 * MODES],
               params = popfloat_create_params(fixture.graph, cast.calculation, popfloat_pack_format(&f),
                                               fixture.program, "p");
    assert_int_equal(pop_tensor_num_elements(params), POPFLOAT_PARAMS);
    fixture_map(&fixture, in, FIXTURE_LINEAR);
    fixture_write(&fixture, in, x, 0, 0);
    for (unsigned i = 0; i < 2 * MODES; ++i) {
        cast.rounding.mode = (popfloat_round)(POPFLOAT_ROUND_RZ + i % MODES);
        cast.rounding.nanoo = i >= MODES;
        out[i] = popfloat_cast_native_to_gfloat(fixture.graph, in, params, &cast, fixture.program, "q");
        assert_int_equal(pop_tensor_type(out[i]), cast.storage);
        out[i] = popfloat_cast_gfloat_to_native(fixture.graph, out[i], params, &cast, fixture.program, "n");
        assert_int_equal(pop_tensor_type(out[i]), cast.native);
    }
    bool packed = cast.storage != POP_HALF && cast.storage != POP_FLOAT;
    fixture_run_all(&fixture, out, got, 2 * MODES);
    for (unsigned i = 0; i < 2 * MODES; ++i)
        for (size_t k = 0; k < SAMPLES; ++k) {
            popfloat_round mode = (popfloat_round)(POPFLOAT_ROUND_RZ + i % MODES);
            double wanted = rounded(&v, mode, i >= MODES, x[k]);
            if (packed && isinf(wanted) && !f.infinities)
                wanted = NAN;
            same(got[i][k], wanted, !packed || f.infinities, popfloat_round_name(mode), x[k]);
        }
    fixture_close(&fixture);
    free(v.list);
}

static void test_formats(void **state)
{
    (void)state;
    static const struct {
        popfloat_format format;
        popfloat_spec spec;
        popfloat_format_type type;
    } rows[] = {
        { { 3, 4, 8, true, false }, POPFLOAT_SPEC_AUTO, POPFLOAT_MIN_NORM_ALIGN_GF8 },
        { { 2, 5, 15, true, true }, POPFLOAT_SPEC_AUTO, POPFLOAT_ONE_FIVE_TWO_GF8 },
        { { 2, 5, 16, true, false }, POPFLOAT_SPEC_AUTO, POPFLOAT_MAX_NORM_ALIGN_GF8 },
        { { 3, 4, 7, false, true }, POPFLOAT_SPEC_AUTO, POPFLOAT_MIN_NORM_ALIGN_GF8 },
        { { 3, 0, 3, true, true }, POPFLOAT_SPEC_AUTO, POPFLOAT_MIN_NORM_ALIGN_GF8 },
        { { 5, 1, 2, true, true }, POPFLOAT_SPEC_AUTO, POPFLOAT_MIN_NORM_ALIGN_GF8 },
        { { 5, 5, 15, true, true }, POPFLOAT_SPEC_AUTO, POPFLOAT_QUANTISED_FP16 },
        { { 7, 4, 9, false, false }, POPFLOAT_SPEC_AUTO, POPFLOAT_QUANTISED_FP16 },
        { { 10, 5, 15, true, true }, POPFLOAT_SPEC_AUTO, POPFLOAT_IEEE_FP16 },
        { { 7, 8, 127, true, true }, POPFLOAT_SPEC_AUTO, POPFLOAT_BFLOAT16 },
        { { 3, 4, 8, true, false }, POPFLOAT_SPEC_FP32, POPFLOAT_ENABLE_DENORM_GF16 },
        { { 8, 7, 60, true, true }, POPFLOAT_SPEC_AUTO, POPFLOAT_ENABLE_DENORM_GF16 },
        { { 9, 6, 30, false, true }, POPFLOAT_SPEC_AUTO, POPFLOAT_NO_DENORM_GF16 },
        { { 10, 6, 31, true, false }, POPFLOAT_SPEC_AUTO, POPFLOAT_QUANTISED_FP32 },
    };
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i)
            check_format(device, &rows[i].format, rows[i].spec, rows[i].type);
}

static void test_in_place_and_computed_parameters(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popfloat_add_codelets_at);
    popfloat_format f = { 4, 3, 3, true, false };
    struct values v = values_of(&f);
    popfloat_cast cast = { .rounding = { .mode = POPFLOAT_ROUND_RN } };
    assert_true(popfloat_choose_cast(&f, POPFLOAT_SPEC_AUTO, POPFLOAT_SPEC_AUTO, &cast));
    pop_tensor packed = pop_graph_add_variable(fixture.graph, POP_INT, POP_SHAPE(), "packed"), out[2];
    pop_graph_set_tile_mapping(fixture.graph, packed, 2);
    fixture_write(&fixture, packed, (double[]){ popfloat_pack_format(&f) }, 0, 0);
    pop_tensor params = popfloat_create_params_of(fixture.graph, POP_HALF, packed, fixture.program, "p");
    for (size_t i = 0; i < 2; ++i) {
        out[i] = fixture_input_of(&fixture, i ? POP_FLOAT : POP_HALF, POP_SHAPE(7, 19), FIXTURE_SCATTERED, -20, 20);
        popfloat_cast_native_to_gfloat_in_place(fixture.graph, pop_tensor_transpose(out[i]), params, &cast,
                                                fixture.program, "i");
    }
    double *got[2], *given[2] = { fixture_given(&fixture, out[0]), fixture_given(&fixture, out[1]) };
    fixture_run_all(&fixture, out, got, 2);
    for (size_t i = 0; i < 2 * 133; ++i)
        same(got[i / 133][i % 133], rounded(&v, POPFLOAT_ROUND_RN, false, given[i / 133][i % 133]), true, "in place",
             given[i / 133][i % 133]);
    fixture_close(&fixture);
    free(v.list);
}

/* Stochastic rounding gives one of the two neighbours, the nearer one more often; another run gives other numbers. */
static void test_stochastic(void **state)
{
    (void)state;
    enum { COUNT = 20000, STEPS = 4 };
    for (popfloat_density density = POPFLOAT_DENSITY_INVALID; density < POPFLOAT_DENSITIES; ++density) {
        struct fixture fixture = fixture_open(FIXTURE_CPU, 1, popfloat_add_codelets_at);
        popfloat_format f = { 3, 5, 15, true, false };
        popfloat_cast cast = { .rounding = { density ? POPFLOAT_ROUND_SX : POPFLOAT_ROUND_SR, true, 23, density, 0,
                                             0.2f, 0.5f, -0.5f, 0.3f } };
        bool centred = density == POPFLOAT_NORMAL || density == POPFLOAT_TRUNCATED_NORMAL ||
                       density == POPFLOAT_LAPLACE || density == POPFLOAT_TRUNCATED_LAPLACE;
        assert_true(popfloat_choose_cast(&f, POPFLOAT_SPEC_FP32, POPFLOAT_SPEC_FP32, &cast));
        if (density == POPFLOAT_UNIFORM || density >= POPFLOAT_LOGIT_NORMAL)
            cast.rounding.max = 1, cast.rounding.min = 0;
        pop_tensor in = pop_graph_add_variable(fixture.graph, POP_FLOAT, POP_SHAPE(STEPS, COUNT), "in"), out[2];
        double *x = malloc(STEPS * COUNT * sizeof(*x)), *got[2], mean[STEPS] = { 0 };
        for (size_t i = 0; i < STEPS * COUNT; ++i)
            x[i] = 1 + (double)(i / COUNT) / STEPS / 8; /* 0, 1/4, 1/2, 3/4 of a step above 1 */
        fixture_map(&fixture, in, FIXTURE_ONE_TILE);
        fixture_write(&fixture, in, x, 0, 0);
        pop_tensor params =
            popfloat_create_params(fixture.graph, POP_FLOAT, popfloat_pack_format(&f), fixture.program, "p");
        pop_compute_set set = pop_graph_add_compute_set(fixture.graph, "set");
        out[0] = popfloat_cast_native_to_gfloat_in(fixture.graph, in, params, &cast, set, "q");
        out[1] = pop_graph_clone(fixture.graph, POP_TYPE_NULL, out[0], POP_CLONE_CREATE_NEW_ORDER, "kept");
        pop_graph_set_tile_mapping(fixture.graph, out[1], 0);
        pop_sequence_add(fixture.program, pop_execute(set, NULL));
        pop_sequence_add(fixture.program, pop_copy(out[0], out[1], false, NULL));
        pop_sequence_add(fixture.program, pop_execute(set, NULL));
        fixture_run_all(&fixture, out, got, 2);
        size_t differ = 0;
        for (size_t i = 0; i < STEPS * COUNT; ++i) {
            double steps = (got[0][i] - 1) * 8;
            assert_true(steps == 0 || steps == 1 ||
                        (steps < 0 && steps >= -1)); /* below 1 the steps are half as long */
            mean[i / COUNT] += steps / COUNT;
            differ += got[0][i] != got[1][i];
        }
        for (size_t s = 0; s < STEPS; ++s) {
            double part = (double)s / STEPS, wanted = part;
            if (density == POPFLOAT_BERNOULLI)
                wanted = s ? 0.3 : 0;
            if (density <= POPFLOAT_UNIFORM || density == POPFLOAT_BERNOULLI) {
                if (fabs(mean[s] - wanted) > 0.02)
                    fail_msg("%s: %g steps became %g on average", popfloat_density_name(density), part, mean[s]);
            } else if (centred && s == 2) {
                assert_true(fabs(mean[s] - 0.5) < 0.03);
            }
            if (s && density != POPFLOAT_BERNOULLI)
                assert_true(mean[s] >= mean[s - 1] - 0.01); /* more above, more often up */
        }
        assert_true(differ > COUNT / 8);
        fixture_close(&fixture);
        free(x);
    }
}

/* ---- the host ---- */

static void test_halves(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x10000; ++bits) {
        float value = popfloat_half_to_single((uint16_t)bits);
        uint32_t single;
        memcpy(&single, &value, sizeof(single));
        if ((bits & 0x7c00) == 0x7c00 && bits & 0x3ff) {
            assert_int_equal(single, bits & 0x200 ? 0x7fc00000 : 0x7f800001);
            continue;
        }
        assert_true(value == pop_half_to_float((uint16_t)bits));
        assert_int_equal(popfloat_single_to_half(value, true), bits);
        if ((bits & 0x7fff) < 0x7bff) { /* middles, and beside them */
            float next = pop_half_to_float((uint16_t)(bits + 1)), middle = (value + next) / 2;
            unsigned even = bits & 1 ? bits + 1 : bits;
            even = (bits & 0x7fff) == 0 ? bits + 1 : even; /* 2^-25 */
            assert_int_equal(popfloat_single_to_half(middle, false), even);
            assert_int_equal(popfloat_single_to_half(nextafterf(middle, next), false), bits + 1);
            assert_int_equal(popfloat_single_to_half(nextafterf(middle, value), false), bits);
        }
    }
    assert_int_equal(popfloat_single_to_half(65519.996f, false), 0x7bff);
    assert_int_equal(popfloat_single_to_half(65520, true), 0x7bff);
    assert_int_equal(popfloat_single_to_half(-1e9f, true), 0xfbff);
    assert_int_equal(popfloat_single_to_half(65520, false), 0xffe0);
    assert_int_equal(popfloat_single_to_half(-INFINITY, false), 0xfc00);
    assert_int_equal(popfloat_single_to_half(NAN, false) & 0x7e00, 0x7e00);
    assert_int_equal(popfloat_single_to_half(-1e-9f, false), 0x8000);
}

static void test_choices(void **state)
{
    (void)state;
    popfloat_cast cast = { .type = POPFLOAT_INVALID_FORMAT };
    assert_false(popfloat_choose_cast(&(popfloat_format){ 24, 8, 127, true, true }, POPFLOAT_SPEC_AUTO,
                                      POPFLOAT_SPEC_AUTO, &cast));
    assert_false(popfloat_choose_cast(&(popfloat_format){ 23, 9, 127, true, true }, POPFLOAT_SPEC_AUTO,
                                      POPFLOAT_SPEC_AUTO, &cast));
    assert_true(popfloat_choose_cast(&(popfloat_format){ 3, 4, 8, true, false }, POPFLOAT_SPEC_INT16,
                                     POPFLOAT_SPEC_FP32, &cast));
    assert_true(cast.storage == POP_SHORT && cast.native == POP_FLOAT);
    assert_true(popfloat_choose_cast(&(popfloat_format){ 23, 8, 127, true, true }, POPFLOAT_SPEC_INT8,
                                     POPFLOAT_SPEC_AUTO, &cast));
    assert_true(cast.storage == POP_FLOAT && cast.type == POPFLOAT_QUANTISED_FP32);
    assert_string_equal(popfloat_round_name(POPFLOAT_ROUND_SX), "SX");
    assert_string_equal(popfloat_density_name(POPFLOAT_TRUNCATED_LOGIT_NORMAL), "TRUNCATED_LOGIT_NORMAL");
    assert_string_equal(popfloat_spec_name((popfloat_spec)7), "");
    assert_int_equal(popfloat_spec_type(POPFLOAT_SPEC_BF16), POP_FLOAT);
    assert_int_equal(popfloat_spec_type(POPFLOAT_SPEC_AUTO), POP_TYPE_NULL);
    assert_int_equal(popfloat_pack_format(&(popfloat_format){ 3, 4, 8, true, true }), 0x03080403);
}

#define REFUSED(status, wanted, call)                                                                                  \
    do {                                                                                                               \
        pop_error error;                                                                                               \
        (void)(call);                                                                                                  \
        assert_int_equal(pop_graph_take_error(fixture.graph, &error), status);                                         \
        if (!strstr(error.text, wanted))                                                                               \
            fail_msg("%s", error.text);                                                                                \
    } while (0)

static void refused_in_place(struct fixture *fixture, pop_tensor t, pop_tensor params, const popfloat_cast *cast)
{
    popfloat_cast_native_to_gfloat_in_place(fixture->graph, t, params, cast, fixture->program, "x");
}
static void test_errors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 4, popfloat_add_codelets_at);
    popfloat_cast cast = { POPFLOAT_QUANTISED_FP16, POP_HALF, POP_HALF, POP_HALF, { .mode = POPFLOAT_ROUND_RN } };
    pop_tensor in = fixture_input(&fixture, POP_HALF, POP_SHAPE(5), FIXTURE_LINEAR),
               ints = fixture_input(&fixture, POP_INT, POP_SHAPE(29), FIXTURE_LINEAR),
               constant = pop_graph_add_constant_float(fixture.graph, POP_HALF, POP_SHAPE(3), 1, "c");
    pop_graph_set_tile_mapping(fixture.graph, constant, 0);
    REFUSED(POP_TYPE_ERROR, "popfloat_create_params makes 29",
            popfloat_cast_native_to_gfloat(fixture.graph, in, in, &cast, fixture.program, "x"));
    REFUSED(POP_TYPE_ERROR, "it must be float or half",
            popfloat_cast_native_to_gfloat(fixture.graph, ints, ints, &cast, fixture.program, "x"));
    REFUSED(POP_TYPE_ERROR, "signed char, short, half or float",
            popfloat_cast_gfloat_to_native(fixture.graph, ints, ints, &cast, fixture.program, "x"));
    REFUSED(POP_POPLAR_ERROR, "the cast is NULL",
            popfloat_cast_native_to_gfloat(fixture.graph, in, ints, NULL, fixture.program, "x"));
    REFUSED(POP_TYPE_ERROR, "they must be one of int",
            popfloat_create_params_of(fixture.graph, POP_HALF, ints, fixture.program, "x"));
    REFUSED(POP_POPLAR_ERROR, "constants", (refused_in_place(&fixture, constant, ints, &cast), 0));
    cast.rounding.mode = POPFLOAT_ROUND_INV;
    REFUSED(POP_POPLAR_ERROR, "rounding mode 0",
            popfloat_cast_native_to_gfloat(fixture.graph, in, ints, &cast, fixture.program, "x"));
    cast.rounding.mode = POPFLOAT_ROUND_SX;
    REFUSED(POP_POPLAR_ERROR, "density 0",
            popfloat_cast_native_to_gfloat(fixture.graph, in, ints, &cast, fixture.program, "x"));
    fixture_close(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formats),    cmocka_unit_test(test_in_place_and_computed_parameters),
        cmocka_unit_test(test_stochastic), cmocka_unit_test(test_halves),
        cmocka_unit_test(test_choices),    cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
