/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds: one small program, and every file that it can write. */
#include "readers.h"

#include "popc/module/codelet.h"
#include "popc/module/module.h"
#include "popc/popc.h"

#include "tile/tile.h"

#include <popef/popef.h>
#include <poplar/poplar.h>
#include <poplar/profile.h>
#include <pvti/pvti.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void must(bool good, const char *what, const pop_error *error)
{
    if (good)
        return;
    fprintf(stderr, "seeds: %s: %s\n", what, error ? error->text : "failed");
    exit(1);
}

/* seeds/READER/NAME, opened to write. */
static FILE *seed(const char *directory, const char *reader, const char *name)
{
    char path[512];
    snprintf(path, sizeof(path), "%s/%s", directory, reader);
    mkdir(path, 0755);
    snprintf(path, sizeof(path), "%s/%s/%s", directory, reader, name);
    FILE *file = fopen(path, "wb");
    must(file != NULL, path, NULL);
    return file;
}

static void seed_text(const char *directory, const char *reader, const char *name, const void *data, size_t size)
{
    FILE *file = seed(directory, reader, name);
    must(fwrite(data, 1, size, file) == size && fclose(file) == 0, name, NULL);
}

static void move(const char *from, const char *directory, const char *reader, const char *name)
{
    char path[512];
    fclose(seed(directory, reader, name));
    snprintf(path, sizeof(path), "%s/%s/%s", directory, reader, name);
    must(rename(from, path) == 0, from, NULL);
}

static const char codelet[] =
    "#include <poplar/vertex.h>\n"
    "POP_VERTEX(Twice) { POP_INPUT(POP_VECTOR(float)) in; POP_OUTPUT(POP_VECTOR(float)) out; float by; };\n"
    "bool Twice_compute(Twice *v) { for (size_t i = 0; i < v->in.size; ++i) v->out.data[i] = v->in.data[i] * v->by; "
    "return true; }\n";

static void seed_module(const char *directory)
{
    struct module *module;
    char *data;
    size_t size;
    pop_error error;
    must(popc_compile("twice.c", codelet, "", &module, &error) == POP_OK, "codelet", &error);
    must(module_write(module, &data, &size, &error) == POP_OK, "module", &error);
    seed_text(directory, "gp", "twice", data, size);
    free(data);
    module_release(module);
}

static pop_program make_program(pop_graph *graph, pop_tensor *kept)
{
    pop_tensor a = pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE(3, 5), POP_MAPPING_LINEAR, "a");
    pop_tensor b = pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE(5, 3), POP_MAPPING_LINEAR, "b");
    pop_graph_add_codelets_source(graph, codelet, POP_FILE_C, "");
    pop_compute_set set = pop_graph_add_compute_set(graph, "layer/twice");
    for (unsigned tile = 0; tile < 3; ++tile) {
        pop_vertex vertex = pop_graph_add_vertex(graph, set, "Twice");
        pop_graph_connect(graph, vertex, "in",
                          pop_tensor_reshape(pop_tensor_slice(a, tile, tile + 1, 0), POP_SHAPE(5)));
        pop_graph_connect(graph, vertex, "out",
                          pop_tensor_reshape(pop_tensor_slice(b, tile, tile + 1, 1), POP_SHAPE(5)));
        pop_graph_set_field_double(graph, vertex, "by", 2);
        pop_graph_map_vertex(graph, vertex, tile);
    }
    *kept = a;
    pop_program program = pop_sequence(graph, "main");
    pop_program body = pop_sequence(graph, "body");
    pop_sequence_add(body, pop_execute(set, "twice"));
    pop_sequence_add(body, pop_copy(pop_tensor_dim_shuffle(b, POP_DIMS(1, 0)), a, false, "back"));
    pop_sequence_add(program, pop_repeat(3, body, "loop"));
    return program;
}

static void seed_graph_files(const char *directory)
{
    pop_device *device =
        pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2", .num_ipus = 1, .tiles_per_ipu = 4 }, NULL);
    pop_graph *graph = pop_graph_create(pop_device_target(device));
    pop_tensor a;
    pop_program program = make_program(graph, &a);
    pop_option options[] = { { "autoReport.all", "true" }, { "autoReport.directory", directory } };
    pop_executable *executable;
    pop_error error;
    FILE *file = seed(directory, "saved_binary", "a");
    must(pop_graph_serialize_tensors(graph, file, (pop_tensors){ 1, &a }, POP_SERIALIZE_BINARY) && fclose(file) == 0,
         "tensors", NULL);
    file = seed(directory, "saved_json", "a");
    must(pop_graph_serialize_tensors(graph, file, (pop_tensors){ 1, &a }, POP_SERIALIZE_JSON) && fclose(file) == 0,
         "tensors", NULL);
    must(pop_compile_graph(graph, (pop_programs){ 1, &program }, (pop_options){ options, 2 }, NULL, NULL, &executable,
                           &error) == POP_OK,
         "compile", &error);
    file = seed(directory, "executable", "loop");
    must(pop_executable_write(executable, file, &error) == POP_OK && fclose(file) == 0, "executable", &error);
    pop_engine *engine = pop_engine_create_from(executable, (pop_options){ options, 2 }, &error);
    must(engine && pop_engine_load_and_run(engine, device, 0, &error) == POP_OK, "run", &error);
    pop_engine_destroy(engine);
    pop_executable_destroy(executable);
    pop_graph_destroy(graph);
    pop_device_destroy(device);
}

static void seed_texts(const char *directory)
{
    static const char options[] =
        "{\"autoReport.all\":\"true\", \"debug.instrument\":\"false\", \"profiler.blocks.tile\":\"0,1\"}";
    static const char target[] = "ipu2 type=ipu_model tiles_per_ipu=4 num_ipus=2";
    pop_profile_value map = pop_profile_map_new();
    pop_profile_set(&map, "real", pop_profile_double(-0.1));
    pop_profile_set(&map, "text", pop_profile_string("\"\\\t\xc3\xa4"));
    pop_profile_value *list = pop_profile_set(&map, "list", pop_profile_vector_new());
    pop_profile_push(list, pop_profile_uint(UINT64_MAX));
    pop_profile_push(list, pop_profile_int(INT64_MIN));
    pop_profile_push(list, pop_profile_bool(true));
    FILE *file = seed(directory, "json", "values");
    must(pop_profile_write_json(file, &map, true) && fclose(file) == 0, "json", NULL);
    file = seed(directory, "cbor", "values");
    must(pop_profile_write_cbor(file, &map) && fclose(file) == 0, "cbor", NULL);
    pop_profile_free(&map);
    seed_text(directory, "options", "engine", options, sizeof(options) - 1);
    seed_text(directory, "target", "ipu2", target, sizeof(target) - 1);
}

/* The environment enabled tracing before the first call of libpvti. */
static void seed_trace(const char *directory)
{
    char from[512];
    pvti_channel *channel = pvti_channel_create("channel");
    pvti_thread_name("main");
    pvti_begin(channel, "outer", "{\"i\": 1}");
    pvti_begin(channel, "inner", NULL);
    pvti_end(channel, "inner");
    pvti_event(channel, "tick", NULL);
    pvti_end(channel, "outer");
    pvti_graph *graph = pvti_graph_create("loss", "nats");
    pvti_graph_add(graph, pvti_graph_add_series(graph, "train"), 0.1);
    pvti_heatmap *heatmap = pvti_heatmap_create("sizes", (const double[]){ 0, 1, 10 }, 3, "B");
    pvti_heatmap_add(heatmap, (const double[]){ 0.5, 5, 50 }, 3);
    snprintf(from, sizeof(from), "%s", pvti_trace_filename());
    pvti_close();
    move(from, directory, "trace", "trace.pvti");
}

static const char assembly[] =
    ".macro ENTRY name, mode=worker\n.section .text.\\name, \"ax\"\n.globl \\name\n.align 8\n.\\mode\n\\name:\n.endm\n"
    ".equ N, 3\nENTRY first\n.irp r, 1, 2, 3\nld32 $m\\r, $mvertex_base, \\r - 1\n.endr\n"
    "setzi $m4, table\n{ rpt N, (2f - 1f) / 8 - 1; fnop }\n"
    "1: { ld64step $a0:1, $mzero, $m4+=, 1; f32v2add $a2:3, $a0:1, $a2:3 }\n2:\n.if N > 2\nbrnzdec $m1, 1f\n.endif\n"
    "1: exitz $mzero\n.rept 2\nnop\n.endr\n.section .rodata\n.align 8\ntable: .float 1.5, 2\n.int first, 4\n.half "
    "1.5h\n";

static void seed_assembly(const char *directory)
{
    struct str messages = { 0 };
    char *data;
    size_t size;
    struct tile_object *object = tile_assemble("seed.S", assembly, TILE_IPU2, &messages);
    must(object != NULL, str_text(&messages), NULL);
    tile_object_write(object, &data, &size);
    seed_text(directory, "assembly", "loop", assembly, sizeof(assembly) - 1);
    seed_text(directory, "tile_object", "loop", data, size);
    free(data);
    tile_object_free(object);
    str_free(&messages);
}

static const char statements[] =
    "# 1 \"v.cpp\"\nvoid f(float *x) { float2 v; int n = 1'000;\n  asm volatile(\"ld64step %[v], $mzero, %1+=, 1\\n\"\n"
    "    \"{ nop ; f32v2mul %0, %0, %[v] }\" : [v] \"=&r\"(v), \"+r\"(x) : \"i\"(3), [n] \"r\"(n) : \"memory\", "
    "\"$m4\");\n"
    "  asm(\"nop %% %=\"); if (n) __asm__(\"add %0, %0, %c1\" : \"+r\"(n) : \"i\"(')')); }\n"
    "extern int g() __asm__(\"other\"); const char *s = R\"x(asm(\"a\"))x\";\n# 7 \"/usr/include/x.h\" "
    "3\nasm(\"kept\");\n";

static void seed_popef(const char *directory)
{
    pop_error error;
    FILE *file = seed(directory, "popef", "model");
    popef_writer *writer = popef_writer_create(file, &error);
    must(writer != NULL, "popef", &error);
    static const char facts[] = "{\"executable\": \"m\", \"anchors\": [{\"handle\": \"in\"}]}",
                      tensor[] = "{\"name\": \"w\", \"type\": \"F32\", \"shape\": [2, 3], \"tensors\": 1}";
    static const float values[6] = { 1, 2, 3, 4, 5, 6 };
    for (int kind = POPEF_METADATA; kind < POPEF_KINDS; ++kind) {
        bool has_values = kind == POPEF_TENSOR || kind == POPEF_FEED;
        const char *text = kind == POPEF_METADATA || kind == POPEF_OPAQUE ? facts : tensor;
        pop_profile_value map;
        must(pop_profile_read_json(text, strlen(text), &map, &error) == POP_OK, "popef", &error);
        pop_profile_set(&map, "name", pop_profile_string("n"));
        must(popef_writer_add(writer, (popef_kind)kind, &map, values, has_values ? sizeof(values) : 0, &error) ==
                 POP_OK,
             "popef", &error);
        pop_profile_free(&map);
    }
    must(popef_writer_close(writer, &error) == POP_OK && fclose(file) == 0, "popef", &error);
}

void seeds_write(const char *directory)
{
    char path[512], options[600];
    mkdir(directory, 0755);
    snprintf(options, sizeof(options), "{\"enable\":\"true\", \"directory\":\"%s\"}", directory);
    setenv("PVTI_OPTIONS", options, 1);
    seed_trace(directory);
    unsetenv("PVTI_OPTIONS");
    seed_texts(directory);
    seed_assembly(directory);
    seed_text(directory, "statements", "all", statements, sizeof(statements) - 1);
    seed_popef(directory);
    seed_module(directory);
    seed_graph_files(directory);
    running_seeds(directory);
    snprintf(path, sizeof(path), "%s/profile.pop", directory);
    move(path, directory, "report", "profile.pop");
    snprintf(path, sizeof(path), "%s/debug.cbor", directory);
    move(path, directory, "debug", "debug.cbor");
    snprintf(path, sizeof(path), "%s/archive.a", directory);
    move(path, directory, "archive", "archive.a");
}
