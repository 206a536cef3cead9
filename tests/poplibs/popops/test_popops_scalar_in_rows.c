/* SPDX-License-Identifier: Apache-2.0 */
/* One element of each row: read, and decremented; indices out of range, and the masked one. */
#include "poplibs/numeric.h"

#include <popops/codelets.h>
#include <popops/update_scalar_in_rows.h>

enum { ROWS = 29, COLUMNS = 11 };

/* Every index, with some out of range, negative ones and the masked one. */
static pop_tensor add_indices(struct fixture *fixture, pop_type type, double *places)
{
    pop_tensor t = pop_graph_add_variable(fixture->graph, type, POP_SHAPE(ROWS), "indices");
    fixture_map(fixture, t, FIXTURE_SCATTERED);
    for (size_t i = 0; i < ROWS; ++i) {
        places[i] = i % 7 == 3 ? -1 : i % 7 == 5 ? COLUMNS : i == 13 ? -2 : (double)(i * 5 % COLUMNS);
        if (type == POP_UNSIGNED_INT && places[i] < 0)
            places[i] += 4294967296.0;
    }
    fixture_write(fixture, t, places, 0, 0);
    for (size_t i = 0; i < ROWS; ++i)
        places[i] -= places[i] > 2e9 ? 4294967296.0 : 0;
    return t;
}

static void test_every_index(void **state)
{
    (void)state;
    for (enum fixture_device device = FIXTURE_CPU; device < FIXTURE_DEVICES; ++device)
        for (int form = 0; form < 8; ++form) {
            struct fixture fixture = fixture_open(device, 6, popops_add_codelets_at);
            double places[ROWS], wanted[ROWS * COLUMNS];
            pop_type type = form & 1 ? POP_HALF : POP_FLOAT;
            pop_tensor indices = add_indices(&fixture, form & 2 ? POP_INT : POP_UNSIGNED_INT, places);
            pop_tensor memory =
                fixture_input(&fixture, type, form & 4 ? POP_SHAPE(ROWS, COLUMNS) : POP_SHAPE(COLUMNS, ROWS),
                              form & 4 ? FIXTURE_SCATTERED : FIXTURE_LINEAR);
            pop_tensor params = form & 4 ? memory : pop_tensor_transpose(memory),
                       changed = pop_graph_clone(fixture.graph, POP_TYPE_NULL, params,
                                                 POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "c");
            pop_tensor out = popops_select_scalar_from_rows(fixture.graph, params, indices, fixture.program, "x");
            pop_sequence_add(fixture.program, pop_copy(params, changed, false, NULL));
            popops_update_scalar_in_rows(fixture.graph, changed, indices, fixture.program, "x");
            assert_built(fixture.graph);
            double *got[3];
            fixture_run_all(&fixture, (const pop_tensor[]){ out, changed, params }, got, 3);
            for (size_t i = 0; i < ROWS * COLUMNS; ++i) {
                double place = places[i / COLUMNS], given = got[2][i];
                wanted[i] = place == -1                      ? given
                            : place < 0 || place >= COLUMNS  ? NAN
                            : place == (double)(i % COLUMNS) ? given - 1
                                                             : given;
                if (i % COLUMNS == 0) {
                    double picked = place == -1 ? 0 : place < 0 || place >= COLUMNS ? NAN : got[2][i + (size_t)place];
                    fixture_check(&got[0][i / COLUMNS], &picked, 1, 0, 0);
                }
            }
            fixture_check(got[1], wanted, ROWS * COLUMNS, type == POP_HALF ? 5e-4 : 6e-8, 0);
            fixture_close(&fixture);
        }
}

static void test_errors_and_empty_tensors(void **state)
{
    (void)state;
    struct fixture fixture = fixture_open(FIXTURE_MODEL, 3, popops_add_codelets_at);
    pop_tensor t = fixture_input(&fixture, POP_FLOAT, POP_SHAPE(4, 3), FIXTURE_LINEAR),
               indices = fixture_input(&fixture, POP_UNSIGNED_INT, POP_SHAPE(4), FIXTURE_LINEAR);
    popops_select_scalar_from_rows(fixture.graph, pop_tensor_flatten(t), indices, fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_select_scalar_from_rows", "shape {12}");
    popops_select_scalar_from_rows(fixture.graph, pop_tensor_reinterpret(t, POP_INT), indices, fixture.program, "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_select_scalar_from_rows", "cannot be int");
    popops_select_scalar_from_rows(fixture.graph, t, pop_tensor_slice(indices, 0, 3, 0), fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_select_scalar_from_rows", "3 offsets; there must be 4");
    popops_update_scalar_in_rows(fixture.graph, pop_tensor_broadcast(pop_tensor_slice(t, 0, 1, 0), 4, 0), indices,
                                 fixture.program, "x");
    assert_error(fixture.graph, POP_POPLAR_ERROR, "popops_update_scalar_in_rows", "constants or repeated");
    popops_update_scalar_in_rows(fixture.graph, t, pop_tensor_flatten(pop_tensor_slice(t, 0, 1, 1)), fixture.program,
                                 "x");
    assert_error(fixture.graph, POP_TYPE_ERROR, "popops_update_scalar_in_rows", "float");
    pop_tensor none = popops_select_scalar_from_rows(fixture.graph, pop_tensor_slice(t, 1, 1, 0),
                                                     pop_tensor_slice(indices, 1, 1, 0), fixture.program, "x");
    assert_int_equal(pop_tensor_num_elements(none), 0);
    popops_update_scalar_in_rows(fixture.graph, pop_tensor_slice(t, 1, 1, 1), indices, fixture.program, "x");
    pop_tensor empty =
        popops_select_scalar_from_rows(fixture.graph, pop_tensor_slice(t, 1, 1, 1), indices, fixture.program, "x");
    double *got = fixture_run(&fixture, empty); /* no index is in the range of no columns */
    for (size_t i = 0; i < 4; ++i)
        assert_true(isnan(got[i]));
    fixture_close(&fixture);
}

int main(void)
{
    setenv("POPLAR_ENGINE_OPTIONS", "{\"debug.checkedExecution\":\"true\"}", 1); /* no write is out of bounds */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_index),
        cmocka_unit_test(test_errors_and_empty_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
