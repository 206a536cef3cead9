/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands are given: options, machines, models, inputs. */
#include "tremula.h"

#include <math.h>
#include <poplar/memory.h>
#include <poplar/text.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *commands; /* the first letters of the commands that take it */
    size_t one, many, count;     /* where its value goes: one, or a list and its length */
} options[] = {
#define ONE(name, commands, field)                                                                                     \
    {                                                                                                                  \
        name, commands, offsetof(arguments, field), 0, 0                                                               \
    }
#define MANY(name, commands, field, count)                                                                             \
    {                                                                                                                  \
        name, commands, 0, offsetof(arguments, field), offsetof(arguments, count)                                      \
    }
    ONE("--device", "rs", device),
    MANY("--input", "rs", input, num_input),
    ONE("--batch", "rs", batch),
    ONE("--batches", "r", batches),
    MANY("--dim", "rs", dim, num_dim),
    ONE("--type", "rs", type),
    ONE("--ipus", "r", ipus),
    ONE("--report", "r", report),
    ONE("--compare", "r", compare),
    ONE("--tolerance", "r", tolerance),
    ONE("--output", "r", output),
    ONE("--rows", "r", rows),
    MANY("--machine", "s", machine, num_machine),
    ONE("--csv", "s", csv),
    ONE("--plot", "s", plot),
    ONE("--jobs", "s", jobs),
    ONE("--seed", "rs", seed),
};
enum { OPTIONS = sizeof(options) / sizeof(options[0]) };

static bool put_option(arguments *a, const char *name, const char *value)
{
    for (size_t i = 0; i < OPTIONS; ++i) {
        if (strcmp(options[i].name, name) != 0 || !strchr(options[i].commands, *a->command))
            continue;
        if (!value)
            return say(a->command, "%s needs a value", name) == EXIT_DONE;
        char *base = (char *)a;
        if (!options[i].count) {
            *(const char **)(void *)(base + options[i].one) = value;
            return true;
        }
        unsigned *count = (unsigned *)(void *)(base + options[i].count);
        if (*count == MAX_WORDS)
            return say(a->command, "%s is given more than %d times", name, MAX_WORDS) == EXIT_DONE;
        ((const char **)(void *)(base + options[i].many))[(*count)++] = value;
        return true;
    }
    return say(a->command, "unknown option '%s' (tremula %s --help lists them)", name, a->command) == EXIT_DONE;
}

bool read_arguments(arguments *a, int argc, char **argv)
{
    for (int i = 0; i < argc; ++i) {
        if (strncmp(argv[i], "--", 2) == 0) {
            if (!put_option(a, argv[i], i + 1 < argc ? argv[i + 1] : NULL))
                return false;
            ++i;
        } else if (a->model) {
            return say(a->command, "one model at a time: '%s' and '%s' are given", a->model, argv[i]) == EXIT_DONE;
        } else {
            a->model = argv[i];
        }
    }
    if (!a->model && *a->command != 'o')
        return say(a->command, "no model is given") == EXIT_DONE;
    return true;
}

/* ---- machines ---- */

/* The first line of a file, when text names one. */
static bool read_line(const char *text, char *line, size_t size)
{
    FILE *file = strchr(text, ' ') ? NULL : fopen(text, "r");
    bool there = file && fgets(line, (int)size, file);
    if (file)
        fclose(file);
    if (there)
        line[strcspn(line, "\n")] = '\0';
    return there;
}

bool read_machine(const char *text, const char *more, pop_target *target, pop_error *error)
{
    char line[2048], whole[4096];
    text = text ? text : "ipu2";
    if (strcmp(text, "cpu") == 0 && !*more) {
        *target = pop_target_create_cpu(false, 1);
        return true;
    }
    if (read_line(text, line, sizeof(line)))
        text = line;
    bool typed = strstr(text, "type=") || strcmp(text, "cpu") == 0;
    pop_text_format(whole, sizeof(whole), "%s%s%s%s", text, typed ? "" : " type=ipu_model", *more ? " " : "", more);
    return pop_target_from_text(whole, target, error) == POP_OK && pop_target_check(target, error) == POP_OK;
}

/* ---- models ---- */

static bool read_number(const char *text, size_t *value)
{
    char *end;
    unsigned long long number = strtoull(text, &end, 10);
    *value = (size_t)number;
    return *text >= '0' && *text <= '9' && !*end && number <= UINT32_MAX;
}

static bool set_dimensions(const arguments *a, tremula_onnx_model *model, pop_error *error)
{
    size_t value;
    for (unsigned i = 0; i < a->num_dim; ++i) {
        const char *equals = strchr(a->dim[i], '=');
        if (!equals || !read_number(equals + 1, &value)) {
            tool_fail(error, POP_INVALID_OPTION, "--dim %s: allowed is NAME=NUMBER", a->dim[i]);
            return false;
        }
        char *name = pop_memory_resize(NULL, strlen(a->dim[i]) + 1, 1);
        memcpy(name, a->dim[i], (size_t)(equals - a->dim[i]));
        name[equals - a->dim[i]] = '\0';
        pop_status status = tremula_onnx_set_dimension(model, name, value, error);
        pop_memory_free(name);
        if (status != POP_OK)
            return false;
    }
    return true;
}

/* A new text: the name of a dimension, or "input:dimension". */
static char *name_of(const tremula_onnx_value *info, int d)
{
    size_t size = strlen(info->parameters[d]) + strlen(info->name) + 16;
    char *name = pop_memory_resize(NULL, size, 1);
    if (*info->parameters[d])
        pop_text_format(name, size, "%s", info->parameters[d]);
    else
        pop_text_format(name, size, "%s:%d", info->name, d);
    return name;
}

/* The first dimension of each input that the file leaves open is the batch. */
static bool set_batch(const arguments *a, tremula_onnx_model *model, pop_error *error)
{
    size_t batch;
    if (!a->batch)
        return true;
    if (!read_number(a->batch, &batch)) {
        tool_fail(error, POP_INVALID_OPTION, "--batch %s is no number", a->batch);
        return false;
    }
    for (size_t i = 0; tremula_onnx_input(model, i); ++i) {
        const tremula_onnx_value *info = tremula_onnx_input(model, i);
        if (info->rank <= 0 || info->dims[0] >= 0)
            continue;
        char *name = name_of(info, 0);
        pop_status status = tremula_onnx_set_dimension(model, name, batch, error);
        pop_memory_free(name);
        if (status != POP_OK)
            return false;
    }
    return true;
}

/* ---- dimensions that nothing gives ---- */

/* Whether --dim gives a dimension a number, by its name or by "INPUT:DIMENSION". */
static bool is_given(const arguments *a, const char *name)
{
    size_t length = strlen(name);
    for (unsigned i = 0; i < a->num_dim; ++i)
        if (strncmp(a->dim[i], name, length) == 0 && a->dim[i][length] == '=')
            return true;
    return false;
}

/* The first dimensions of inputs are the batch, and whatever else has the name of one. */
static bool is_batch(const tremula_onnx_model *model, const char *parameter)
{
    const tremula_onnx_value *info;
    for (size_t i = 0; *parameter && (info = tremula_onnx_input(model, i)); ++i)
        if (info->rank > 0 && info->dims[0] < 0 && strcmp(info->parameters[0], parameter) == 0)
            return true;
    return false;
}

/* Adds the option that would give dimension d of an input a number, unless the text has it. */
static void add_option(const arguments *a, const tremula_onnx_model *model, const tremula_onnx_value *info, int d,
                       char *text, size_t size)
{
    bool batch = d == 0 || is_batch(model, info->parameters[d]);
    char *name = name_of(info, d), place[300], option[300];
    pop_text_format(place, sizeof(place), "%s:%d", info->name, d);
    pop_text_format(option, sizeof(option), batch ? " --batch N" : " --dim %s=N", name);
    size_t length = strlen(text);
    if (!is_given(a, name) && !is_given(a, place) && !(batch && a->batch) && !strstr(text, option))
        pop_text_format(text + length, size - length, "%s", option);
    pop_memory_free(name);
}

bool check_dimensions(const arguments *a, const tremula_onnx_model *model, const tremula_onnx_tensor *inputs,
                      pop_error *error)
{
    char text[800] = "";
    const tremula_onnx_value *info;
    for (size_t i = 0; (info = tremula_onnx_input(model, i)); ++i)
        for (int d = 0; d < info->rank && !inputs[i].data; ++d)
            if (info->dims[d] < 0)
                add_option(a, model, info, d, text, sizeof(text));
    if (*text)
        tool_fail(error, POP_POPLAR_ERROR,
                  "%s: the file leaves dimensions of its inputs open: add%s, or give inputs (--input)", a->model, text);
    return !*text;
}

tremula_onnx_model *load_model(const arguments *a, pop_error *error)
{
    tremula_onnx_model *model = tremula_onnx_load(a->model, error);
    if (model && set_batch(a, model, error) && set_dimensions(a, model, error))
        return model;
    tremula_onnx_destroy(model);
    return NULL;
}

/* ---- inputs ---- */

pop_status read_tensor(const char *path, tremula_onnx_tensor *tensor, pop_error *error)
{
    size_t length = strlen(path);
    bool npy = length > 4 && strcmp(path + length - 4, ".npy") == 0;
    return npy ? tremula_onnx_load_npy(path, tensor, error) : tremula_onnx_load_tensor(path, tensor, error);
}

void free_tensors(tremula_onnx_tensor *list, size_t count)
{
    for (size_t i = 0; i < count; ++i)
        pop_memory_free(list[i].data);
    pop_memory_free(list);
}

static size_t find_input(const tremula_onnx_model *model, const char *name, size_t length)
{
    for (size_t i = 0; tremula_onnx_input(model, i); ++i)
        if (strlen(tremula_onnx_input(model, i)->name) == length &&
            strncmp(tremula_onnx_input(model, i)->name, name, length) == 0)
            return i;
    return SIZE_MAX;
}

bool read_inputs(const arguments *a, const tremula_onnx_model *model, tremula_onnx_tensor *list, pop_error *error)
{
    size_t next = 0, count = count_inputs(model);
    for (unsigned i = 0; i < a->num_input; ++i) {
        const char *text = a->input[i], *equals = strchr(text, '=');
        if (strcmp(text, "random") == 0)
            continue;
        size_t which = equals ? find_input(model, text, (size_t)(equals - text)) : next++;
        if (which >= count) {
            tool_fail(error, POP_INDEX_ERROR, "--input %s: the model has no such input (tremula inspect lists them)",
                      text);
            return false;
        }
        pop_memory_free(list[which].data);
        if (read_tensor(equals ? equals + 1 : text, &list[which], error) != POP_OK)
            return false;
    }
    return true;
}
