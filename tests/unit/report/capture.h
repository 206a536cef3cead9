/* SPDX-License-Identifier: Apache-2.0 */
/* Helpers of capture tests: a small program, its engines, and checks of the files that they write. */
#ifndef TESTS_REPORT_CAPTURE_H
#define TESTS_REPORT_CAPTURE_H

#include "sql.h"

#include <poplar/poplar.h>

#include <dirent.h>
#include <unistd.h>

enum { ELEMENTS = 64, MAX_OPTIONS = 8 };

struct fixture {
    char directory[32];
    pop_device *device;
    pop_graph *graph;
    pop_program main;
    float data[ELEMENTS];
};

static inline void must(pop_status status, const pop_error *error)
{
    if (status != POP_OK)
        fail_msg("%s", error->text);
}

/* A stream to tile 0, ten copies there and back, a stream to the host. */
static inline int open_release(void **state, const char *release)
{
    struct fixture *f = calloc(1, sizeof(*f));
    pop_error error = { 0 };
    strcpy(f->directory, "test_capture_XXXXXX");
    assert_non_null(mkdtemp(f->directory));
    f->device = pop_ipu_model_create_device_options(
        &(pop_ipu_model){ .version = "ipu2", .tiles_per_ipu = 16, .compile_ipu_code = true },
        POP_OPTIONS({ "poplibsRelease", release }), &error);
    f->graph = pop_graph_create(pop_device_target(f->device));
    pop_tensor v = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(ELEMENTS), "v"),
               u = pop_graph_add_variable(f->graph, POP_FLOAT, POP_SHAPE(ELEMENTS), "u");
    pop_graph_set_tile_mapping(f->graph, v, 0);
    pop_graph_set_tile_mapping(f->graph, u, 9);
    pop_stream in =
        pop_graph_add_host_to_device_fifo(f->graph, "in", POP_FLOAT, ELEMENTS, POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pop_stream out = pop_graph_add_device_to_host_fifo(f->graph, "out", POP_FLOAT, ELEMENTS, POP_NO_OPTIONS);
    pop_program body = pop_sequence(f->graph, "body");
    pop_sequence_add(body, pop_copy(v, u, false, "there"));
    pop_sequence_add(body, pop_copy(u, v, false, "back"));
    f->main = pop_sequence(f->graph, "main");
    pop_sequence_add(f->main, pop_copy_from_stream(in, v, false, "input"));
    pop_sequence_add(f->main, pop_repeat(10, body, "loop"));
    pop_sequence_add(f->main, pop_copy_to_stream(v, out, false, "output"));
    *state = f;
    return 0;
}

static inline int open_fixture(void **state)
{
    return open_release(state, "1.2");
}

static inline int open_fixture_of_2021(void **state)
{
    return open_release(state, "2021");
}

static inline void remove_tree(const char *path)
{
    DIR *directory = opendir(path);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char inner[512];
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        if (snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name) >= (int)sizeof(inner))
            continue;
        if (unlink(inner) != 0)
            remove_tree(inner);
    }
    if (directory)
        closedir(directory);
    rmdir(path);
}

static inline int close_fixture(void **state)
{
    struct fixture *f = *state;
    unsetenv("POPLAR_ENGINE_OPTIONS");
    pop_graph_destroy(f->graph);
    pop_device_destroy(f->device);
    remove_tree(f->directory);
    free(f);
    return 0;
}

static inline pop_engine *create(struct fixture *f, const char *name, pop_options options, pop_error *error)
{
    pop_option list[MAX_OPTIONS] = { { "autoReport.directory", f->directory } };
    assert_true(options.count < MAX_OPTIONS);
    for (size_t i = 0; i < options.count; ++i)
        list[i + 1] = options.list[i];
    return pop_engine_create_named(f->graph, POP_PROGRAMS(f->main), (pop_options){ list, options.count + 1 }, name,
                                   error);
}

static inline pop_engine *start(struct fixture *f, const char *name, pop_options options)
{
    pop_error error = { 0 };
    pop_engine *engine = create(f, name, options, &error);
    if (!engine)
        fail_msg("%s", error.text);
    must(pop_engine_connect_stream(engine, "in", f->data, &error), &error);
    must(pop_engine_connect_stream(engine, "out", f->data, &error), &error);
    must(pop_engine_load(engine, f->device, &error), &error);
    return engine;
}

static inline void run(pop_engine *engine, const char *name)
{
    pop_error error = { 0 };
    must(pop_engine_run_named(engine, 0, name, &error), &error);
}

static inline bool exists(const struct fixture *f, const char *name)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%s", f->directory, name);
    return access(path, F_OK) == 0;
}

/* Names in the directory, or in one below it, sorted, each followed by a space. */
static inline void expect_files(const struct fixture *f, const char *below, const char *expected)
{
    char path[256], seen[512] = "";
    struct dirent **list;
    snprintf(path, sizeof(path), "%s/%s", f->directory, below);
    int count = scandir(path, &list, NULL, alphasort);
    for (int i = 0; i < count; ++i) {
        if (list[i]->d_name[0] != '.') {
            strcat(seen, list[i]->d_name);
            strcat(seen, " ");
        }
        free(list[i]);
    }
    if (count >= 0)
        free(list);
    assert_string_equal(seen, expected);
}

static inline sqlite3 *profile(const struct fixture *f, const char *below)
{
    char path[256];
    snprintf(path, sizeof(path), "%s/%sprofile.pop", f->directory, below);
    return sql_open(path);
}

#endif
