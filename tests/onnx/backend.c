/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX's own backend tests (the distribution's libonnx-testdata): each is a model with inputs and outputs.
 *
 *     onnx_backend DIRECTORY [--every N] [--only WORD] [--table FILE]
 *
 * Runs those whose operators are all supported; an output must be within ONNX's own tolerances (relative 1e-3, absolute
 * 1e-7).  Exit code 1 when one fails.  --table adds counts by operator, for docs/reference/onnx-operators.md. */
#include "session.h"

#include <dirent.h>
#include <math.h>
#include <poplar/memory.h>
#include <poplar/text.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_PORTS = 64, MAX_OPERATORS = 400, MAX_USES = 128, MAX_SETS = 32 };
static const char *const groups[] = { "node", "simple", "pytorch-operator", "pytorch-converted" };

static struct count {
    char name[80];
    unsigned tests, passed, refused;
    bool supported;
} counts[MAX_OPERATORS];
static size_t num_counts;
/* Tests of supported operators by the operator set of their model. */
static struct {
    unsigned tests, passed;
} sets[MAX_SETS];

static struct count *find_count(const char *domain, const char *name)
{
    char text[80];
    pop_text_format(text, sizeof(text), "%s%s%s", domain, *domain ? "." : "", name);
    for (size_t i = 0; i < num_counts; ++i)
        if (strcmp(counts[i].name, text) == 0)
            return &counts[i];
    if (num_counts == MAX_OPERATORS)
        abort();
    memcpy(counts[num_counts].name, text, sizeof(text));
    return &counts[num_counts++];
}

/* Tests whose results this library does not give, and why. */
static const struct {
    const char *name, *why;
} exceptions[] = {
#define EXCEPT(name, why) { name, why },
#include "exceptions.def"
#undef EXCEPT
    { "", "" },
};

static const char *find_exception(const char *test)
{
    for (size_t i = 0; i < sizeof(exceptions) / sizeof(exceptions[0]); ++i)
        if (strcmp(exceptions[i].name, test) == 0)
            return exceptions[i].why;
    return NULL;
}

static double element(const tremula_onnx_tensor *t, size_t i)
{
    double value;
    tremula_onnx_tensor one = { .type = t->type, .data = (char *)t->data + i * tremula_onnx_type_size(t->type) };
    pop_error error;
    return tremula_onnx_to_stream(&one, POP_DOUBLE, &value, &error) == POP_OK ? value : NAN;
}

static bool close_enough(double got, double want)
{
    return got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= 1e-7 + 1e-3 * fabs(want);
}

static bool compare(const tremula_onnx_tensor *got, const tremula_onnx_tensor *want, char *why, size_t size)
{
    bool same = got->type == want->type && got->rank == want->rank;
    for (size_t i = 0; i < want->rank && same; ++i)
        same = got->dims[i] == want->dims[i];
    if (!same) {
        snprintf(why, size, "type or shape differ: %s of rank %zu, not %s of rank %zu",
                 tremula_onnx_type_name(got->type), got->rank, tremula_onnx_type_name(want->type), want->rank);
        return false;
    }
    for (size_t i = 0, n = tremula_onnx_tensor_elements(want); i < n; ++i)
        if (!close_enough(element(got, i), element(want, i))) {
            snprintf(why, size, "element %zu is %.9g, not %.9g", i, element(got, i), element(want, i));
            return false;
        }
    return true;
}

static bool all_supported(const tremula_onnx_model *model, tremula_onnx_use *uses, size_t *count)
{
    bool all = true;
    *count = tremula_onnx_count_operators(model, uses, MAX_USES);
    for (size_t i = 0; i < *count; ++i)
        all = all && uses[i].supported;
    for (size_t i = 0; tremula_onnx_input(model, i); ++i) /* UNDEFINED: sequences, optional values */
        all = all && tremula_onnx_input(model, i)->type % TREMULA_ONNX_STRING != 0;
    for (size_t i = 0; tremula_onnx_output(model, i); ++i)
        all = all && tremula_onnx_output(model, i)->type % TREMULA_ONNX_STRING != 0;
    return all;
}

/* One data set: its inputs, a run, its outputs. */
static bool run_set(tremula_onnx_model *model, const char *directory, const pop_target *target, char *why, size_t size)
{
    pop_error error = { 0 };
    char path[1200];
    tremula_onnx_tensor inputs[MAX_PORTS] = { 0 };
    session s = { .model = model, .target = target, .inputs = inputs, .num_inputs = count_inputs(model) };
    for (size_t i = 0; i < s.num_inputs && i < MAX_PORTS; ++i) {
        snprintf(path, sizeof(path), "%s/input_%zu.pb", directory, i);
        if (tremula_onnx_load_tensor(path, &inputs[i], &error) != POP_OK)
            inputs[i] = (tremula_onnx_tensor){ 0 };
    }
    bool good = session_build(&s, &error) == POP_OK && session_compile(&s, &error) == POP_OK &&
                session_run(&s, &error) == POP_OK;
    if (!good)
        snprintf(why, size, "%s", error.text);
    for (size_t i = 0; i < s.num_outputs && good; ++i) {
        tremula_onnx_tensor want;
        snprintf(path, sizeof(path), "%s/output_%zu.pb", directory, i);
        good = tremula_onnx_load_tensor(path, &want, &error) == POP_OK;
        if (good)
            good = compare(&s.outputs[i], &want, why, size);
        else
            snprintf(why, size, "%s", error.text);
        pop_memory_free(want.data);
    }
    session_end(&s);
    for (size_t i = 0; i < MAX_PORTS; ++i)
        pop_memory_free(inputs[i].data);
    return good;
}

/* 1: passed, 0: failed, -1: not supported. */
static int run_test(const char *directory, const char *name, const pop_target *target)
{
    char path[1100], why[1100] = "";
    pop_error error = { 0 };
    tremula_onnx_use uses[MAX_USES];
    size_t num_uses = 0;
    snprintf(path, sizeof(path), "%s/model.onnx", directory);
    tremula_onnx_model *model = tremula_onnx_load(path, &error);
    const char *exception = find_exception(name);
    bool supported = model && all_supported(model, uses, &num_uses) && !exception, good = supported;
    for (unsigned set = 0; good; ++set) {
        struct stat facts;
        snprintf(path, sizeof(path), "%s/test_data_set_%u", directory, set);
        if (stat(path, &facts) != 0)
            break;
        good = run_set(model, path, target, why, sizeof(why));
    }
    for (size_t i = 0; i < num_uses; ++i) {
        struct count *count = find_count(uses[i].domain, uses[i].name);
        count->supported = uses[i].supported;
        ++count->tests;
        count->passed += good;
        count->refused += !supported;
    }
    if (supported && tremula_onnx_opset(model) < MAX_SETS) {
        ++sets[tremula_onnx_opset(model)].tests;
        sets[tremula_onnx_opset(model)].passed += good;
    }
    tremula_onnx_destroy(model);
    if (supported && !good)
        printf("FAILED %s: %s\n", name, why);
    if (!model || exception)
        printf("left out: %s: %s\n", name, exception ? exception : error.text);
    return supported ? good : -1;
}

static int order(const void *a, const void *b)
{
    return strcmp(((const struct count *)a)->name, ((const struct count *)b)->name);
}

static bool write_table(const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    qsort(counts, num_counts, sizeof(counts[0]), order);
    for (size_t i = 0; i < num_counts; ++i)
        fprintf(file, "%s %d %u %u %u\n", counts[i].name, counts[i].supported, counts[i].tests, counts[i].passed,
                counts[i].refused);
    for (unsigned set = 0; set < MAX_SETS; ++set)
        if (sets[set].tests)
            fprintf(file, "set %u %u %u\n", set, sets[set].tests, sets[set].passed);
    return fclose(file) == 0;
}

int main(int argc, char **argv)
{
    unsigned every = 1, seen = 0, total[3] = { 0 };
    const char *only = NULL, *table = NULL, *machine = "ipu2 type=ipu_model tiles=4";
    for (int i = 2; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--every") == 0)
            every = (unsigned)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
        else if (strcmp(argv[i], "--table") == 0)
            table = argv[i + 1];
        else if (strcmp(argv[i], "--device") == 0)
            machine = argv[i + 1];
    }
    pop_target target;
    pop_error error;
    if (argc < 2 || !every || pop_target_from_text(machine, &target, &error) != POP_OK)
        return 2;
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); ++g) {
        char directory[512], path[900];
        struct dirent **entries;
        snprintf(directory, sizeof(directory), "%s/%s", argv[1], groups[g]);
        int count = scandir(directory, &entries, NULL, alphasort);
        for (int i = 0; i < count; ++i) {
            const char *name = entries[i]->d_name;
            if (*name != '.' && (!only || strstr(name, only)) && seen++ % every == 0) {
                snprintf(path, sizeof(path), "%s/%s", directory, name);
                ++total[1 + run_test(path, name, &target)];
                fflush(stdout);
            }
            free(entries[i]);
        }
        if (count >= 0)
            free(entries);
    }
    printf("%u tests: %u passed, %u failed, %u use what is not supported\n", seen / every + (seen % every != 0),
           total[2], total[1], total[0]);
    return (total[2] == 0 || total[1] || (table && !write_table(table))) ? 1 : 0;
}
