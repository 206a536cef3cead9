/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a model: results, cycles and memory. */
#include "costs.h"
#include "tremula.h"

#include <errno.h>
#include <math.h>
#include <poplar/memory.h>
#include <poplar/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* "{1, 3, 224, 224}" */
static const char *shape_text(const tremula_onnx_tensor *t, char *buffer, size_t size)
{
    size_t length = (size_t)pop_text_format(buffer, size, "{");
    for (size_t i = 0; i < t->rank && length < size; ++i)
        length += (size_t)pop_text_format(buffer + length, size - length, "%s%zu", i ? ", " : "", t->dims[i]);
    if (length < size)
        pop_text_format(buffer + length, size - length, "}");
    return buffer;
}

/* ---- comparing ---- */

/* What outputs may differ by: absolute + relative |x|. */
struct tolerance {
    double absolute, relative;
};

/* The tolerances of ONNX's own tests, those of half, or what is given for both. */
static struct tolerance tolerance_of(const arguments *a)
{
    double given = a->tolerance ? pop_text_to_double(a->tolerance, NULL) : 0;
    if (a->tolerance)
        return (struct tolerance){ given, given };
    return a->type && strcmp(a->type, "half") == 0 ? (struct tolerance){ 2e-2, 2e-2 }
                                                   : (struct tolerance){ 1e-5, 1e-3 };
}

/* An output beside what it should be: the largest difference, and whether all are within the tolerance. */
static bool compare_output(const char *name, const tremula_onnx_tensor *got, const tremula_onnx_tensor *want,
                           const struct tolerance *allowed)
{
    size_t count = tremula_onnx_tensor_elements(want);
    if (tremula_onnx_tensor_elements(got) != count) {
        put("  %s: %zu elements, and %zu to compare with\n", name, tremula_onnx_tensor_elements(got), count);
        return false;
    }
    double *x = pop_memory_resize(NULL, count + 1, sizeof(*x)), *y = pop_memory_resize(NULL, count + 1, sizeof(*y));
    double worst = 0, largest = 0;
    size_t beyond = 0;
    pop_error error;
    bool read = tremula_onnx_to_stream(got, POP_DOUBLE, x, &error) == POP_OK &&
                tremula_onnx_to_stream(want, POP_DOUBLE, y, &error) == POP_OK;
    for (size_t i = 0; i < count && read; ++i) {
        double difference = x[i] == y[i] || (isnan(x[i]) && isnan(y[i])) ? 0 : fabs(x[i] - y[i]);
        worst = difference > worst || isnan(difference) ? difference : worst;
        largest = fabs(y[i]) > largest ? fabs(y[i]) : largest;
        beyond += !(difference <= allowed->absolute + allowed->relative * fabs(y[i]));
    }
    put("  %s: largest difference %.3g of values up to %.3g; %zu of %zu elements beyond %g + %g |x|\n", name, worst,
        largest, beyond, count, allowed->absolute, allowed->relative);
    pop_memory_free(x);
    pop_memory_free(y);
    return read && beyond == 0;
}

/* DIR has output_0.pb, ... as ONNX's tests do, or NAME.npy. */
static bool compare_outputs(const arguments *a, const session *s)
{
    bool same = true;
    struct tolerance allowed = tolerance_of(a);
    put("compared with %s:\n", a->compare);
    for (size_t i = 0; i < s->num_outputs; ++i) {
        const char *name = tremula_onnx_output(s->model, i)->name;
        char path[2048];
        tremula_onnx_tensor want;
        pop_error error;
        pop_text_format(path, sizeof(path), "%s/output_%zu.npy", a->compare, i);
        pop_status status = tremula_onnx_load_npy(path, &want, &error);
        if (status != POP_OK) {
            pop_text_format(path, sizeof(path), "%s/output_%zu.pb", a->compare, i);
            status = tremula_onnx_load_tensor(path, &want, &error);
        }
        if (status != POP_OK) {
            put("  %s: %s\n", name, error.text);
            same = false;
            continue;
        }
        same = compare_output(name, &s->outputs[i], &want, &allowed) && same;
        pop_memory_free(want.data);
    }
    return same;
}

/* ---- outputs ---- */

static bool save_outputs(const arguments *a, const session *s, pop_error *error)
{
    if (mkdir(a->output, 0777) != 0 && errno != EEXIST) {
        tool_fail(error, POP_FILE_LOAD_ERROR, "%s: cannot make the directory: %s", a->output,
                  pop_text_from_errno(errno));
        return false;
    }
    for (size_t i = 0; i < s->num_outputs; ++i) {
        char path[2048];
        pop_text_format(path, sizeof(path), "%s/output_%zu.npy", a->output, i);
        if (tremula_onnx_save_npy(path, &s->outputs[i], error) != POP_OK)
            return false;
    }
    put("%zu outputs written to %s\n", s->num_outputs, a->output);
    return true;
}

static void print_outputs(const session *s)
{
    char shape[256];
    for (size_t i = 0; i < s->num_outputs; ++i) {
        const tremula_onnx_tensor *out = &s->outputs[i];
        size_t count = tremula_onnx_tensor_elements(out), shown = count < 4 ? count : 4;
        double values[4];
        pop_error error;
        tremula_onnx_tensor first = *out;
        first.rank = 1;
        first.dims[0] = shown;
        put("output '%s': %s %s", tremula_onnx_output(s->model, i)->name, tremula_onnx_type_name(out->type),
            shape_text(out, shape, sizeof(shape)));
        if (tremula_onnx_to_stream(&first, POP_DOUBLE, values, &error) == POP_OK)
            for (size_t j = 0; j < shown; ++j)
                put("%s%.6g", j ? ", " : ": ", values[j]);
        put("%s\n", count > shown ? ", ..." : "");
    }
}

/* ---- the command ---- */

/* Numbers of a SplitMix64 generator: inputs that nobody gives are the same in each run. */
static double draw(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0;
}

/* Fills inputs that nobody gives, when their shapes are known: real numbers from -1 to 1, integers 0 or 1. */
static void draw_inputs(const arguments *a, session *s)
{
    uint64_t state = a->seed ? strtoull(a->seed, NULL, 10) : 1;
    for (size_t i = 0; i < s->num_inputs; ++i) {
        tremula_onnx_tensor t = tremula_onnx_built_input(s->model, i);
        if (t.rank && s->batches > 1)
            t.dims[0] *= s->batches;
        size_t count = tremula_onnx_tensor_elements(&t), size = tremula_onnx_type_size(t.type);
        if (s->inputs[i].data || !size || tremula_onnx_is_bound(s->model, i))
            continue;
        float *values = pop_memory_resize(NULL, count + 1, sizeof(*values));
        bool real = t.type == TREMULA_ONNX_FLOAT || t.type == TREMULA_ONNX_FLOAT16 || t.type == TREMULA_ONNX_DOUBLE ||
                    t.type == TREMULA_ONNX_BFLOAT16;
        for (size_t j = 0; j < count; ++j)
            values[j] = real ? (float)(2 * draw(&state) - 1) : (float)(draw(&state) < 0.5);
        t.data = pop_memory_resize(NULL, count + 1, size);
        tremula_onnx_from_stream(POP_FLOAT, values, &t);
        pop_memory_free(values);
        s->inputs[i] = t;
    }
}

static int finish(const arguments *a, session *s, pop_error *error)
{
    print_outputs(s);
    if (a->output && !save_outputs(a, s, error))
        return say("run", "%s", error->text);
    if (s->target->type != POP_TARGET_CPU && print_costs(s, a->rows ? strtoul(a->rows, NULL, 10) : 10, error) != POP_OK)
        return say("run", "%s", error->text);
    if (a->report)
        put("report: %s (pva serve %s shows it)\n", a->report, a->report);
    return a->compare && !compare_outputs(a, s) ? EXIT_FOUND : EXIT_DONE;
}

static int run_session(const arguments *a, session *s, pop_error *error)
{
    double began = now();
    if (session_build(s, error) != POP_OK)
        return say("run", "%s", error->text);
    draw_inputs(a, s);
    double built = now();
    if (session_compile(s, error) != POP_OK)
        return say("run", "%s", error->text);
    double compiled = now();
    if (session_run(s, error) != POP_OK)
        return say("run", "%s", error->text);
    put("built in %.2f s, compiled in %.2f s, run in %.2f s\n", built - began, compiled - built, now() - compiled);
    return finish(a, s, error);
}

static bool is_number(const char *text)
{
    char *end;
    return pop_text_to_double(text, &end) >= 0 && end != text && !*end;
}

int command_run(const arguments *a)
{
    pop_error error = { 0 };
    if (a->tolerance && !is_number(a->tolerance))
        return say("run", "tolerance '%s' is no number", a->tolerance);
    pop_target target;
    char more[64] = "";
    if (a->ipus)
        pop_text_format(more, sizeof(more), "ipus=%s", a->ipus);
    if (!read_machine(a->device, more, &target, &error))
        return say("run", "%s", error.text);
    tremula_onnx_model *model = load_model(a, &error);
    if (!model)
        return say("run", "%s", error.text);
    pop_option build[] = { { "type", a->type ? a->type : "float" }, { "batches", a->batches ? a->batches : "1" } };
    pop_option engine[] = { { "autoReport.directory", a->report }, { "autoReport.all", "true" } };
    session s = { .model = model, .target = &target, .build_options = { build, 2 }, .num_inputs = count_inputs(model) };
    s.batches = a->batches ? strtoul(a->batches, NULL, 10) : 1;
    if (a->report)
        s.engine_options = (pop_options){ engine, 2 };
    s.inputs = pop_memory_resize(NULL, s.num_inputs + 1, sizeof(*s.inputs));
    memset(s.inputs, 0, (s.num_inputs + 1) * sizeof(*s.inputs));
    bool ready = read_inputs(a, model, s.inputs, &error) && check_dimensions(a, model, s.inputs, &error);
    int result = ready ? run_session(a, &s, &error) : say("run", "%s", error.text);
    session_end(&s);
    free_tensors(s.inputs, s.num_inputs);
    tremula_onnx_destroy(model);
    return result;
}
