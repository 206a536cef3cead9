/* SPDX-License-Identifier: Apache-2.0 */
/* Executables as files: written data is read back; a truncated or altered file is refused; an altered file with a
 * recomputed checksum is either refused or runs without an access outside its memory (the sanitizers check). */
#include "image/image.h"
#include "rounds.h"
#include "unit/image/images.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <pthread.h>
#include <unistd.h>

static pthread_t watcher;

static pop_status ignore(const void *const *inputs, void *const *outputs, void *user)
{
    (void)inputs;
    (void)outputs;
    (void)user;
    return POP_OK;
}

static FILE *nowhere;
/* Endless runs are stopped every few milliseconds. */
static pthread_mutex_t running_lock = PTHREAD_MUTEX_INITIALIZER;
static pop_engine *running; /* NULL: none */
static bool watching = true;
static void set_running(pop_engine *engine)
{
    pthread_mutex_lock(&running_lock);
    running = engine;
    pthread_mutex_unlock(&running_lock);
}
static void *watch(void *user)
{
    for (bool more = true; more;) {
        usleep(2000);
        pthread_mutex_lock(&running_lock);
        if (running)
            pop_engine_stop(running);
        more = watching;
        pthread_mutex_unlock(&running_lock);
    }
    return user;
}

/* All readers of the model. */
static void profile_all(pop_engine *engine)
{
    pop_cycles cycles;
    pop_profile_value graph = { 0 }, execution = { 0 };
    pop_status status = pop_engine_cycles(engine, &cycles, NULL);
    status = pop_engine_graph_profile(engine, &graph, NULL);
    if (cycles.steps < 10000)
        status = pop_engine_execution_profile(engine, &execution, NULL);
    (void)status;
    pop_profile_free(&graph);
    pop_profile_free(&execution);
}

/* Runs all programs of an image; endless ones are stopped.  Errors are fine. */
static void run_all(struct image *image, pop_options options)
{
    static int32_t data[1 << 16];
    if (image->storage_bytes > 1 << 18 || image->scratch_bytes > 1 << 18)
        return; /* legal, and slow */
    for (size_t i = 0; i < image->remotes.count; ++i)
        if (image->remotes.data[i].elements * image->remotes.data[i].repeats > 1 << 18)
            return;
    for (size_t i = 0; i < image->operands.count; ++i)
        if (image->operands.data[i].elements > 1 << 18)
            return;
    for (size_t i = 0; i < image->copies.count; ++i)
        if (image->copies.data[i].bytes > 1 << 18) /* repeats the same bytes */
            return;
    pop_executable executable = { .image = image };
    pop_engine *engine = pop_engine_create_from(&executable, options, &(pop_error){ .status = POP_OK });
    if (!engine)
        return;
    pop_engine_set_print_stream(engine, nowhere);
    rewind(nowhere);
    for (size_t i = 0; i < image->streams.count; ++i)
        if (engine->replicas[0].streams[i].bytes <= sizeof(data)) {
            engine->replicas[0].streams[i].kind = STREAM_BUFFER;
            engine->replicas[0].streams[i].at = engine->replicas[0].streams[i].begin = (unsigned char *)data;
        }
    for (size_t i = 0; i < image->host_functions.count; ++i)
        engine->replicas[0].host_functions[i].callback = ignore;
    engine->image->target = *pop_device_target(device);
    if (pop_engine_load(engine, device, NULL) == POP_OK) {
        for (unsigned p = 0; p < image->programs.count; ++p) {
            set_running(engine);
            pop_status status = pop_engine_run(engine, p, NULL);
            (void)status;
            set_running(NULL);
        }
        profile_all(engine);
    }
    pop_engine_destroy(engine);
}

static void written_data_is_read_back(void **state)
{
    (void)state;
    struct image *image = make(), *read;
    char *data, *again;
    size_t size, again_size;
    image_write(image, &data, &size);
    pop_error error = { .status = POP_OK };
    if (image_read("x.exe", data, size, &read, &error) != POP_OK)
        fail_msg("%s", error.text);
    image_write(read, &again, &again_size);
    assert_int_equal(size, again_size);
    assert_memory_equal(data, again, size);
    assert_true(pop_target_equal(&read->target, &image->target));
    assert_string_equal(options_get(&read->options, "engine", "target.hostThreads"), "1");
    image_release(image);
    pop_executable executable = { .image = read };
    pop_engine *engine = pop_engine_create_from(&executable, POP_NO_OPTIONS, NULL);
    int32_t in[8], stream[8] = { 1, 1, 1, 1, 1, 1, 1, 1 }, out;
    assert_int_equal(pop_engine_load(engine, device, NULL), POP_OK);
    pop_engine_set_print_stream(engine, nowhere);
    rewind(nowhere);
    assert_int_equal(pop_engine_read_tensor(engine, "in", in, 32, NULL), POP_OK);
    assert_int_equal(in[7], 8);
    assert_int_equal(pop_engine_connect_stream(engine, "s", stream, NULL), POP_OK);
    assert_int_equal(pop_engine_connect_host_function(engine, "f", ignore, NULL, NULL), POP_OK);
    assert_int_equal(pop_engine_run(engine, 0, NULL), POP_OK);
    assert_int_equal(pop_engine_read_tensor(engine, "out", &out, 4, NULL), POP_OK);
    assert_int_equal(out, 7);
    pop_engine_destroy(engine);
    image_release(read);
    free(data);
    free(again);
}

static void truncated_files_are_refused_at_every_length(void **state)
{
    (void)state;
    struct image *image = make(), *read;
    char *data;
    size_t size;
    image_write(image, &data, &size);
    for (size_t length = 0; length < size; length += length < 2048 || size - length < 512 ? 1 : 89) {
        char *part = mem_copy(data, length); /* ends at the end of the allocation: a read beyond it is detected */
        assert_fails(image_read("x.exe", part, length, &read, error), POP_FILE_LOAD_ERROR, "x.exe");
        assert_null(read);
        free(part);
    }
    free(data);
    image_release(image);
}

static void altered_files_are_refused_at_every_byte(void **state)
{
    (void)state;
    struct image *image = make(), *read;
    char *data;
    size_t size;
    image_write(image, &data, &size);
    for (size_t i = 0; i < size; i += i < 2048 || size - i < 512 ? 1 : 89) {
        data[i] ^= 0x10;
        assert_fails(image_read("x.exe", data, size, &read, error), POP_FILE_LOAD_ERROR, "x.exe");
        data[i] ^= 0x10;
    }
    assert_int_equal(image_read("x.exe", data, size, &read, NULL), POP_OK);
    image_release(read);
    free(data);
    image_release(image);
}

static void seal(char *data, size_t size)
{
    XXH128_canonical_t hash;
    XXH128_canonicalFromHash(&hash, XXH3_128bits(data, size - 16));
    memcpy(data + size - 16, &hash, 16);
}

/* The offset of a section in the file, by its name in the table. */
static bool find_section(const char *data, const char *name, uint64_t *offset, uint64_t *bytes)
{
    uint32_t sections;
    memcpy(&sections, data + 12, 4);
    for (uint32_t i = 0; i < sections; ++i)
        if (strncmp(data + 16 + 32 * i, name, 16) == 0) {
            memcpy(offset, data + 16 + 32 * i + 16, 8);
            memcpy(bytes, data + 16 + 32 * i + 24, 8);
            return true;
        }
    return false;
}

/* Each byte is altered in one way, in more ways over several rounds.  Bytes of the objects in the modules are code,
 * which is not protected. */
static void forged_files_cannot_make_the_engine_leave_its_memory(void **state)
{
    (void)state;
    static const unsigned char changes[] = { 0x01, 0x48, 0xff };
    struct image *image = make(), *read;
    char *data;
    size_t size, refused = 0, accepted = 0, ways = rounds(1) < sizeof(changes) ? rounds(1) : sizeof(changes);
    uint64_t modules = 0, module_bytes = 0;
    image_write(image, &data, &size);
    assert_true(find_section(data, "modules", &modules, &module_bytes));
    pop_option checked[] = { { "debug.checkedExecution", "true" } };
    for (size_t i = 0; i < size - 16; ++i) {
        if (i >= modules && i < modules + module_bytes)
            continue;
        for (size_t way = 0; way < ways; ++way) {
            size_t c = (i + way) % sizeof(changes);
            data[i] ^= (char)changes[c];
            seal(data, size);
            if (image_read("x.exe", data, size, &read, NULL) == POP_OK) {
                ++accepted;
                module_release(read->modules.data[0]); /* one that was linked before */
                read->modules.data[0] = module_retain(image->modules.data[0]);
                run_all(read, POP_NO_OPTIONS);
                if (c == 0)
                    run_all(read, (pop_options){ checked, 1 });
                image_release(read);
            } else {
                ++refused;
            }
            data[i] ^= (char)changes[c];
        }
    }
    assert_true(refused > 1000 && accepted > 100);
    free(data);
    image_release(image);
}

static void files_on_disk(void **state)
{
    (void)state;
    pop_executable executable = { .image = make() }, *read;
    char path[] = "engine-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(pop_executable_save(&executable, path, NULL), POP_OK);
    assert_int_equal(pop_executable_load(path, &read, NULL), POP_OK);
    assert_int_equal(pop_executable_num_programs(read), 1);
    assert_true(pop_target_equal(pop_executable_target(read), &executable.image->target));
    pop_executable_destroy(read);
    FILE *file = fopen(path, "r+b");
    assert_int_equal(pop_executable_write(&executable, file, NULL), POP_OK);
    rewind(file);
    assert_int_equal(pop_executable_read(file, &read, NULL), POP_OK);
    pop_executable_destroy(read);
    assert_int_equal(ftruncate(fileno(file), 100), 0);
    fclose(file);
    assert_fails(pop_executable_load(path, &read, error), POP_FILE_LOAD_ERROR, path);
    remove(path);
    assert_fails(pop_executable_load(path, &read, error), POP_FILE_LOAD_ERROR, path);
    assert_fails(pop_executable_load(NULL, &read, error), POP_FILE_LOAD_ERROR, "NULL");
    assert_fails(pop_executable_read(NULL, &read, error), POP_FILE_LOAD_ERROR, "NULL");
    assert_fails(pop_executable_save(NULL, path, error), POP_POPLAR_ERROR, "NULL");
    assert_fails(pop_executable_save(&executable, "/nonexistent/x", error), POP_POPLAR_ERROR, "/nonexistent/x");
    assert_fails(pop_executable_write(&executable, NULL, error), POP_POPLAR_ERROR, "NULL");
    assert_int_equal(pop_executable_num_programs(NULL), 0);
    assert_null(pop_executable_target(NULL));
    pop_executable_destroy(NULL);
    image_release(executable.image);
}

/* Arrays are used from the mapped file: executables loaded from it do not change when the file is overwritten or
 * removed. */
static void loaded_arrays_stay_in_the_file(void **state)
{
    (void)state;
    pop_executable executable = { .image = make() }, *read;
    char path[] = "engine-test-XXXXXX", *before, *after;
    size_t size, again;
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_int_equal(pop_executable_save(&executable, path, NULL), POP_OK);
    assert_int_equal(pop_executable_load(path, &read, NULL), POP_OK);
    const struct image *image = read->image;
    assert_true(image->file.mapped);
    const unsigned char *begin = image->file.data, *end = begin + image->file.size;
    assert_true(image->states.count && image->states.data >= begin && image->states.data < end);
    assert_true(image->data.count && image->data.data >= begin && image->data.data < end);
    image_write(image, &before, &size);
    assert_int_equal(pop_executable_save(read, path, NULL), POP_OK);
    remove(path);
    image_write(image, &after, &again);
    assert_int_equal(size, again);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);
    run_all(read->image, POP_NO_OPTIONS);
    pop_executable_destroy(read);
    image_release(executable.image);
}

static int setup(void **state)
{
    (void)state;
    images_begin();
    nowhere = tmpfile();
    return nowhere ? pthread_create(&watcher, NULL, watch, NULL) : 1;
}

static int teardown(void **state)
{
    (void)state;
    pthread_mutex_lock(&running_lock);
    watching = false;
    pthread_mutex_unlock(&running_lock);
    pthread_join(watcher, NULL);
    fclose(nowhere);
    images_end();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_data_is_read_back),
        cmocka_unit_test(truncated_files_are_refused_at_every_length),
        cmocka_unit_test(altered_files_are_refused_at_every_byte),
        cmocka_unit_test(forged_files_cannot_make_the_engine_leave_its_memory),
        cmocka_unit_test(files_on_disk),
        cmocka_unit_test(loaded_arrays_stay_in_the_file),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
