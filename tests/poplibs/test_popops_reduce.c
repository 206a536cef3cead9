/* SPDX-License-Identifier: Apache-2.0 */
/* Reductions: all operations and types on random shapes, dimensions, views and mappings, against double precision; stages, cost, errors. */
#include "poplibs/bed.h"

#include <popops/codelets.h>
#include <popops/reduce.h>

struct wanted {
    double *values;
    size_t count;
};

static double start_of(popops_operation op)
{
    return op == POPOPS_MUL || op == POPOPS_LOGICAL_AND ? 1 : op == POPOPS_MIN ? INFINITY : op == POPOPS_MAX || op == POPOPS_LOG_ADD ? -INFINITY : 0;
}
static double join(popops_operation op, double a, double x)
{
    switch (op) {
    case POPOPS_ADD: return a + x;
    case POPOPS_MUL: return a * x;
    case POPOPS_MIN: return x < a ? x : a;
    case POPOPS_MAX: return x > a ? x : a;
    case POPOPS_LOGICAL_AND: return a != 0 && x != 0;
    case POPOPS_LOGICAL_OR: return a != 0 || x != 0;
    case POPOPS_SQUARE_ADD: return a + x * x;
    case POPOPS_LOG_ADD: return a == -INFINITY ? x : fmax(a, x) + log1p(exp(-fabs(a - x)));
    }
    return 0;
}

/* values has the tensor's shape, row-major. */
static struct wanted reference(const double *values, pop_shape shape, pop_dims dims, popops_operation op)
{
    bool reduced[16] = { false };
    size_t count = 1, elements = 1;
    for (size_t i = 0; i < dims.count; ++i)
        reduced[dims.list[i]] = true;
    for (size_t d = 0; d < shape.rank; ++d) {
        count *= reduced[d] ? 1 : shape.dims[d];
        elements *= shape.dims[d];
    }
    struct wanted wanted = { malloc(count * sizeof(double) + 1), count };
    for (size_t i = 0; i < count; ++i)
        wanted.values[i] = start_of(op);
    for (size_t i = 0; i < elements; ++i) {
        size_t k = 0, scale = 1, rest = i;
        for (size_t d = shape.rank; d-- > 0; rest /= shape.dims[d])
            if (!reduced[d]) {
                k += rest % shape.dims[d] * scale;
                scale *= shape.dims[d];
            }
        wanted.values[k] = join(op, wanted.values[k], values[i]);
    }
    return wanted;
}

static const pop_type types[] = { POP_HALF, POP_FLOAT, POP_INT, POP_UNSIGNED_INT, POP_BOOL };
static bool takes(popops_operation op, pop_type type)
{
    bool logical = op == POPOPS_LOGICAL_AND || op == POPOPS_LOGICAL_OR;
    return logical ? type == POP_BOOL : type != POP_BOOL && (op != POPOPS_LOG_ADD || pop_type_is_floating_point(type));
}
static double tolerance(pop_type type)
{
    return type == POP_HALF ? 1e-3 : type == POP_FLOAT ? 2e-6 : 0;
}

/* A random tensor of a random shape as a random view (transposed), in values of moderate size. */
struct given {
    pop_tensor tensor;
    double *values; /* row-major of tensor */
    size_t dims[6], rank;
};
static struct given random_tensor(struct bed *bed, pop_type type, popops_operation op, size_t most)
{
    struct given given = { .rank = next_random(&bed->random) % 5 };
    size_t from[6], places[6], elements = 1;
    unsigned order[6];
    for (size_t d = 0; d < given.rank; ++d) {
        from[d] = 1 + next_random(&bed->random) % most;
        order[d] = (unsigned)d;
        elements *= from[d];
    }
    if (next_random(&bed->random) % 2)
        for (size_t d = given.rank; d > 1; --d) {
            size_t other = next_random(&bed->random) % d;
            unsigned held = order[d - 1];
            order[d - 1] = order[other];
            order[other] = held;
        }
    bool product = op == POPOPS_MUL;
    double low = product ? 0.9 : -1, high = product ? 1.1 : 1;
    enum bed_mapping mapping = next_random(&bed->random) % 3;
    pop_tensor t = pop_type_is_floating_point(type) ? bed_input_of(bed, type, (pop_shape){ given.rank, from }, mapping, low, high)
                                                    : bed_input(bed, type, (pop_shape){ given.rank, from }, mapping);
    const double *values = bed_given(bed, t);
    given.tensor = pop_tensor_dim_shuffle(t, (pop_dims){ given.rank, order });
    given.values = malloc(elements * sizeof(double) + 1);
    for (size_t d = 0; d < given.rank; ++d)
        given.dims[d] = from[order[d]];
    for (size_t i = 0; i < elements; ++i) {
        size_t rest = i, place = 0, scale = 1;
        for (size_t d = given.rank; d-- > 0; rest /= given.dims[d])
            places[order[d]] = rest % given.dims[d];
        for (size_t d = given.rank; d-- > 0; scale *= from[d])
            place += places[d] * scale;
        given.values[i] = values[place];
    }
    return given;
}

static void check_random(enum bed_device device, popops_operation op, pop_type type, uint64_t seed)
{
    struct bed bed = bed_open(device, 11, popops_add_codelets_at);
    bed.random = seed;
    struct given given = random_tensor(&bed, type, op, 8);
    unsigned dims[6];
    size_t count = 0;
    for (size_t d = 0; d < given.rank; ++d)
        if (next_random(&bed.random) % 2)
            dims[count++] = (unsigned)d;
    if (count > 1 && next_random(&bed.random) % 2) {
        unsigned held = dims[0];
        dims[0] = dims[count - 1];
        dims[count - 1] = held;
    }
    popops_reduce_params params = { .op = op };
    pop_tensor out = popops_reduce(bed.graph, given.tensor, POP_TYPE_NULL, ((pop_dims){ count, dims }), params, bed.program, "r", POP_NO_OPTIONS);
    struct wanted wanted = reference(given.values, (pop_shape){ given.rank, given.dims }, (pop_dims){ count, dims }, op);
    assert_int_equal(pop_tensor_num_elements(out), wanted.count);
    double *got = bed_run(&bed, out);
    if (!pop_type_is_floating_point(type)) /* integers wrap */
        for (size_t i = 0; i < wanted.count; ++i) {
            double wrapped = fmod(wanted.values[i], 4294967296.0);
            if (fabs(wanted.values[i]) < 9e15)
                assert_true(fmod(wrapped - got[i], 4294967296.0) == 0);
            wanted.values[i] = got[i];
        }
    bed_check(got, wanted.values, wanted.count, tolerance(type), tolerance(type) * 4);
    free(wanted.values);
    free(given.values);
    bed_close(&bed);
}

/* row: popops reduce */
/* row: popops Operation */
static void test_random(void **state)
{
    (void)state;
    uint64_t seed = 12345;
    for (enum bed_device device = BED_CPU; device < BED_DEVICES; ++device)
        for (popops_operation op = POPOPS_ADD; (int)op < POPOPS_OPERATIONS; ++op)
            for (size_t t = 0; t < 5; ++t)
                for (int i = 0; i < 4 && takes(op, types[t]); ++i)
                    check_random(device, op, types[t], seed = seed * 6364136223846793005u + 1442695040888963407u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
