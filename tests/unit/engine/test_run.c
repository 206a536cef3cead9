/* SPDX-License-Identifier: Apache-2.0 */
/* Control flow, handles, prints, cycles and errors of runs, on images built by hand. */
#include "builder.h"

#include <pthread.h>

static pop_device *device;

/* Storage of most tests: int cells of 64 bytes; cell i is handle "ci". */
enum { CELL = 64, CELLS = 8 };
#define AT(cell) ((uint64_t)(cell)*CELL)

static struct image *cells(void)
{
    struct image *image = build_image(CELL * CELLS);
    char name[8];
    for (unsigned i = 0; i < CELLS; ++i) {
        snprintf(name, sizeof(name), "c%u", i);
        build_handle(image, name, AT(i), 4);
    }
    return image;
}

static void copy_cell(struct image *image, unsigned from, unsigned to)
{
    build_op(image, OP_COPY, build_copy(image, AT(from), AT(to), 4, 4), 0, 0, 0);
}

static int32_t read_cell(pop_engine *engine, unsigned cell)
{
    char name[8];
    int32_t value = -1;
    snprintf(name, sizeof(name), "c%u", cell);
    assert_int_equal(pop_engine_read_tensor(engine, name, &value, sizeof(value), NULL), POP_OK);
    return value;
}

static void write_cell(pop_engine *engine, unsigned cell, int32_t value)
{
    char name[8];
    snprintf(name, sizeof(name), "c%u", cell);
    assert_int_equal(pop_engine_write_tensor(engine, name, &value, sizeof(value), NULL), POP_OK);
}

/* Host functions that count what runs: "tick" adds one to its only cell. */
static pop_status tick(const void *const *inputs, void *const *outputs, void *user)
{
    *(int32_t *)outputs[0] = *(const int32_t *)inputs[0] + 1;
    return *(pop_status *)user;
}

static uint32_t build_tick(struct image *image)
{
    *vec_push(&image->arguments) = (struct image_argument){ POP_INT, 1 };
    *vec_push(&image->arguments) = (struct image_argument){ POP_INT, 1 };
    *vec_push(&image->host_functions) = (struct image_host_function){ build_string(image, "tick"), 0, 1, 1 };
    uint32_t first = build_copy(image, AT(7), 0, 4, 4);
    build_copy(image, 0, AT(7), 4, 4);
    return first;
}

static void loops_nest_and_may_be_empty(void **state)
{
    (void)state;
    struct image *image = cells();
    uint32_t copies = build_tick(image);
    build_program(image);
    uint32_t outer = build_op(image, OP_REPEAT, 0, 0, 0, 3);
    uint32_t none = build_op(image, OP_REPEAT, 0, 0, 0, 0);
    build_op(image, OP_CALL_HOST, 0, copies, 0, 0);
    image->ops.data[none].a = build_op(image, OP_REPEAT_END, none + 1, 0, 0, 0) + 1;
    uint32_t inner = build_op(image, OP_REPEAT, 0, 0, 0, 5);
    build_op(image, OP_CALL_HOST, 0, copies, 0, 0);
    image->ops.data[inner].a = build_op(image, OP_REPEAT_END, inner + 1, 0, 0, 0) + 1;
    image->ops.data[outer].a = build_op(image, OP_REPEAT_END, outer + 1, 0, 0, 0) + 1;
    build_op(image, OP_END, 0, 0, 0, 0);
    build_model(image, OP_CALL_HOST, (struct model_step){ .kind = MODEL_SYNC });
    pop_engine *engine = build_engine(image, POP_NO_OPTIONS, device);
    pop_status status = POP_OK;
    const char *names[3] = { 0 };
    size_t listed = pop_engine_list_streams(engine, names, 3);
    assert_in_range(listed, 1, 3);
    assert_string_equal(names[listed - 1], "tick"); /* host functions come last */
    assert_fails(pop_engine_run(engine, 0, error), POP_STREAM_CONNECTION_ERROR, "host function 'tick'");
    assert_int_equal(pop_engine_connect_host_function(engine, "tick", tick, &status, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(read_cell(engine, 7), 15);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK); /* state persists */
    assert_int_equal(read_cell(engine, 7), 30);
    pop_cycles cycles;
    assert_int_equal(pop_engine_cycles(engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.steps, 30);
    assert_int_equal(cycles.total, 30 * 126); /* a sync of ipu2 each */
    assert_int_equal(cycles.sync, cycles.total);
    pop_engine_disable_execution_profiling(engine);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(pop_engine_cycles(engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.steps, 30);
    pop_engine_enable_execution_profiling(engine);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(pop_engine_cycles(engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.steps, 45);
    pop_engine_reset_execution_profile(engine);
    assert_int_equal(pop_engine_cycles(engine, &cycles, NULL), POP_OK);
    assert_int_equal(cycles.total, 0);
    status = POP_OVERFLOW_ERROR;
    assert_fails(pop_engine_run(engine, 0, error), POP_OVERFLOW_ERROR, "host function 'tick' failed");
    status = POP_OK;
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK); /* a failed run does not end the engine */
    assert_int_equal(pop_engine_load(engine, device, NULL), POP_OK);
    assert_int_equal(read_cell(engine, 7), 0);
    pop_engine_destroy(engine);
}

static void branches_follow_their_operands(void **state)
{
    (void)state;
    struct image *image = cells();
    int32_t one = 1, two = 2, three = 3;
    build_initial(image, AT(1), &one, 4, 1);
    build_initial(image, AT(2), &two, 4, 1);
    build_initial(image, AT(3), &three, 4, 1);
    build_program(image); /* if c0 then c4 = c1 else c4 = c2 */
    uint32_t operand = build_operand(image, AT(0), POP_INT, 1);
    uint32_t branch = build_op(image, OP_JUMP_UNLESS, 0, operand, 0, 0);
    copy_cell(image, 1, 4);
    uint32_t jump = build_op(image, OP_JUMP, 0, 0, 0, 0);
    image->ops.data[branch].a = jump + 1;
    copy_cell(image, 2, 4);
    image->ops.data[jump].a = build_op(image, OP_END, 0, 0, 0, 0);
    build_program(image); /* switch c0 { 7: c4 = c1; -1: c4 = c2; default: c4 = c3 } through a call */
    uint32_t call = build_op(image, OP_CALL, 0, 0, 0, 0);
    copy_cell(image, 4, 5);
    build_op(image, OP_END, 0, 0, 0, 0);
    uint32_t select = build_op(image, OP_SWITCH, 0, operand, 2, 0);
    image->ops.data[call].a = select;
    static const int64_t values[] = { 7, -1, 0 };
    for (unsigned i = 0; i < 3; ++i) {
        *vec_push(&image->cases) = (struct image_case){ values[i], (uint32_t)image->ops.count };
        copy_cell(image, i + 1, 4);
        build_op(image, OP_END, 0, 0, 0, 0);
    }
    build_program(image); /* jump_if, on a half */
    uint32_t half = build_operand(image, AT(6), POP_HALF, 1);
    uint32_t test = build_op(image, OP_JUMP_IF, 0, half, 0, 0);
    copy_cell(image, 3, 4);
    image->ops.data[test].a = build_op(image, OP_END, 0, 0, 0, 0);
    pop_engine *engine = build_engine(image, POP_NO_OPTIONS, device);
    static const struct {
        int control, wanted;
        unsigned program;
    } rows[] = { { 0, 2, 0 }, { 5, 1, 0 }, { -1, 1, 0 }, { 7, 1, 1 }, { -1, 2, 1 }, { 0, 3, 1 }, { 8, 3, 1 } };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        write_cell(engine, 0, rows[i].control);
        assert_int_equal(pop_engine_run(engine, rows[i].program, NULL), POP_OK);
        assert_int_equal(read_cell(engine, 4), rows[i].wanted);
        assert_true(rows[i].program != 1 || read_cell(engine, 5) == rows[i].wanted);
    }
    write_cell(engine, 4, 0);
    write_cell(engine, 6, 0x3800); /* 0.5 is true */
    assert_int_equal(pop_engine_run(engine, 2, NULL), POP_OK);
    assert_int_equal(read_cell(engine, 4), 0);
    write_cell(engine, 6, 0);
    assert_int_equal(pop_engine_run(engine, 2, NULL), POP_OK);
    assert_int_equal(read_cell(engine, 4), 3);
    pop_engine_destroy(engine);
}

static void aborts_prints_and_errors_have_their_texts(void **state)
{
    (void)state;
    struct image *image = cells();
    uint32_t operand = build_operand(image, AT(0), POP_INT, 1), message = build_string(image, "too hot");
    *vec_push(&image->dims) = 1;
    struct image_print print = { message, operand, 0, 1, 0, pop_print_format_guide(), 1 };
    *vec_push(&image->prints) = print;
    build_program(image);
    build_op(image, OP_PRINT, 0, 0, 0, 0);
    build_op(image, OP_ABORT_IF, message, operand, 0, 0);
    build_op(image, OP_STEP, 0, 0, 0, 0);
    build_op(image, OP_END, 0, 0, 0, 0);
    build_program(image);
    build_op(image, OP_ERROR, 0, 0, 0, 0);
    build_program(image);
    build_op(image, OP_ABORT, 0, 0, 0, 0);
    build_op(image, OP_END, 0, 0, 0, 0);
    pop_engine *engine = build_engine(image, POP_NO_OPTIONS, device);
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    pop_engine_set_print_stream(engine, file);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_string_equal(text, "too hot: {0}\n");
    write_cell(engine, 0, 4);
    assert_fails(pop_engine_run(engine, 0, error), POP_APPLICATION_RUNTIME_ERROR, "too hot");
    assert_fails(pop_engine_run(engine, 1, error), POP_APPLICATION_RUNTIME_ERROR, "too hot");
    assert_string_equal(text, "too hot: {0}\ntoo hot: {4}\ntoo hot: {4}\n");
    assert_fails(pop_engine_run(engine, 2, error), POP_APPLICATION_RUNTIME_ERROR, "aborted");
    pop_engine_destroy(engine);
    fclose(file);
    free(text);
}

static void misuse_is_an_error(void **state)
{
    (void)state;
    struct image *image = cells();
    build_program(image);
    build_op(image, OP_END, 0, 0, 0, 0);
    pop_engine *engine = build_engine(image, POP_NO_OPTIONS, NULL);
    int32_t value = 0;
    assert_fails(pop_engine_run(engine, 0, error), POP_RUNTIME_ERROR, "not loaded");
    assert_fails(pop_engine_read_tensor(engine, "c1", &value, 4, error), POP_RUNTIME_ERROR, "not loaded");
    assert_fails(pop_engine_load(engine, NULL, error), POP_RUNTIME_ERROR, "device is NULL");
    pop_device *other = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu1" }, NULL);
    assert_fails(pop_engine_load(engine, other, error), POP_RUNTIME_ERROR, "ipu1");
    pop_device_destroy(other);
    pop_device_detach(device);
    assert_fails(pop_engine_load(engine, device, error), POP_RUNTIME_ERROR, "not attached");
    assert_true(pop_device_attach(device));
    assert_int_equal(pop_engine_load_and_run(engine, device, 0, NULL), POP_OK);
    assert_fails(pop_engine_run(engine, 1, error), POP_INDEX_ERROR,
                 "there is no program 1: the executable has 1 (0 to 0)");
    assert_fails(pop_engine_write_tensor(engine, "c1", &value, 3, error), POP_TENSOR_IO_STATE_ERROR,
                 "4 bytes, the buffer 3");
    const int longer[2] = { 7, 9 }; /* only the tensor's part of a longer buffer is read */
    int back[2] = { 0, 11 };
    assert_int_equal(pop_engine_write_tensor(engine, "c1", longer, sizeof(longer), NULL), POP_OK);
    assert_int_equal(pop_engine_read_tensor(engine, "c1", back, sizeof(back), NULL), POP_OK);
    assert_int_equal(back[0], 7);
    assert_int_equal(back[1], 11);
    assert_fails(pop_engine_write_tensor(engine, "C1", &value, 4, error), POP_TENSOR_IO_STATE_ERROR, "did you mean");
    assert_fails(pop_engine_read_tensor(engine, NULL, &value, 4, error), POP_TENSOR_IO_STATE_ERROR, "NULL");
    assert_fails(pop_engine_read_tensor(engine, "c1", NULL, 4, error), POP_TENSOR_IO_STATE_ERROR, "NULL");
    assert_fails(pop_engine_run(NULL, 0, error), POP_RUNTIME_ERROR, "NULL");
    assert_fails(pop_engine_load(NULL, device, error), POP_RUNTIME_ERROR, "NULL");
    assert_fails(pop_engine_cycles(NULL, NULL, error), POP_RUNTIME_ERROR, "NULL");
    assert_fails(pop_engine_connect_host_function(engine, "f", NULL, NULL, error), POP_STREAM_CONNECTION_ERROR, "NULL");
    assert_fails(pop_engine_connect_host_function(engine, "f", tick, NULL, error), POP_STREAM_CONNECTION_ERROR,
                 "no host function 'f'");
    pop_engine_stop(NULL);
    pop_engine_destroy(NULL);
    pop_engine_enable_execution_profiling(NULL);
    pop_engine_disable_execution_profiling(NULL);
    pop_engine_reset_execution_profile(NULL);
    pop_engine_set_print_stream(NULL, NULL);
    assert_int_equal(pop_engine_list_streams(NULL, NULL, 0), 0);
    assert_int_equal(pop_engine_options(NULL).count, 0);
    pop_error error;
    assert_null(pop_engine_create_from(NULL, POP_NO_OPTIONS, &error));
    assert_int_equal(error.status, POP_POPLAR_ERROR);
    pop_engine_destroy(engine);
}

static void options_are_checked_and_listed(void **state)
{
    (void)state;
    struct image *image = cells();
    build_program(image);
    build_op(image, OP_END, 0, 0, 0, 0);
    pop_executable executable = { .image = image };
    pop_error error;
    assert_null(pop_engine_create_from(&executable, POP_OPTIONS({ "target.hostThread", "2" }), &error));
    assert_int_equal(error.status, POP_INVALID_OPTION);
    assert_non_null(strstr(error.text, "target.hostThreads"));
    pop_engine *engine = build_engine(image, POP_OPTIONS({ "target.hostThreads", "2" }), device);
    pop_options options = pop_engine_options(engine);
    assert_int_equal(options.count, 1);
    assert_string_equal(options.list[0].value, "2");
    assert_int_equal(pool_threads(engine->pool), 2);
    pop_engine_destroy(engine);
}

static void *stop_soon(void *engine)
{
    usleep(20000);
    pop_engine_stop(engine);
    return NULL;
}

static void stop_ends_an_endless_run(void **state)
{
    (void)state;
    struct image *image = cells();
    build_program(image);
    uint32_t at = build_op(image, OP_STEP, 0, 0, 0, 0);
    build_op(image, OP_JUMP, at, 0, 0, 0);
    build_op(image, OP_END, 0, 0, 0, 0);
    pop_engine *engine = build_engine(image, POP_NO_OPTIONS, device);
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, stop_soon, engine), 0);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    pthread_join(thread, NULL);
    pop_engine_destroy(engine);
}

static void a_cpu_device_has_no_cycles(void **state)
{
    (void)state;
    struct image *image = cells();
    image->target = pop_target_create_cpu(true, 1);
    build_program(image);
    build_op(image, OP_END, 0, 0, 0, 0);
    pop_device *cpu = pop_cpu_device_create(NULL);
    image->target = *pop_device_target(cpu);
    pop_engine *engine = build_engine(image, POP_NO_OPTIONS, cpu);
    pop_cycles cycles;
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_fails(pop_engine_cycles(engine, &cycles, error), POP_PROFILING_DISABLED, "CPU");
    pop_engine_destroy(engine);
    pop_device_destroy(cpu);
}

static int setup(void **state)
{
    (void)state;
    device = build_device();
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    pop_device_destroy(device);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_nest_and_may_be_empty),
        cmocka_unit_test(branches_follow_their_operands),
        cmocka_unit_test(aborts_prints_and_errors_have_their_texts),
        cmocka_unit_test(misuse_is_an_error),
        cmocka_unit_test(options_are_checked_and_listed),
        cmocka_unit_test(stop_ends_an_endless_run),
        cmocka_unit_test(a_cpu_device_has_no_cycles),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
