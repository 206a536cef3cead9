/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a model, before anything is built. */
#include "tremula.h"

#include <poplar/memory.h>
#include <stdio.h>

enum { LAST_SET = 17 }; /* of operators, which the backend tests have */

/* Prints an input or output; whether its type is supported. */
static bool print_value(const char *what, const tremula_onnx_value *value)
{
    bool supported = tremula_onnx_type_size(value->type) > 0;
    put("  %-7s %s: %s", what, value->name, value->type ? tremula_onnx_type_name(value->type) : "no tensor");
    if (value->rank < 0)
        put(", no shape");
    else
        put(" {");
    for (int i = 0; i < value->rank; ++i) {
        put("%s", i ? ", " : "");
        if (value->dims[i] >= 0)
            put("%lld", (long long)value->dims[i]);
        else
            put("%s", *value->parameters[i] ? value->parameters[i] : "?");
    }
    put("%s%s\n", value->rank < 0 ? "" : "}", supported ? "" : "   NOT SUPPORTED");
    return supported;
}

/* The number of inputs and outputs whose types are not supported. */
static size_t print_values(const tremula_onnx_model *model)
{
    size_t missing = 0;
    for (size_t i = 0; tremula_onnx_input(model, i); ++i)
        missing += !print_value("input", tremula_onnx_input(model, i));
    for (size_t i = 0; tremula_onnx_output(model, i); ++i)
        missing += !print_value("output", tremula_onnx_output(model, i));
    if (missing)
        put("  %zu inputs and outputs have types that are not supported\n", missing);
    return missing;
}

int command_inspect(const arguments *a)
{
    pop_error error = { 0 };
    tremula_onnx_model *model = load_model(a, &error);
    if (!model)
        return say("inspect", "%s", error.text);
    put("%s: operator set %lld%s%s, %zu nodes, %.3g MB of weights\n", a->model, (long long)tremula_onnx_opset(model),
        *tremula_onnx_producer(model) ? ", made by " : "", tremula_onnx_producer(model), tremula_onnx_num_nodes(model),
        (double)tremula_onnx_weight_bytes(model) / 1e6);
    if (tremula_onnx_opset(model) > LAST_SET)
        put("  set %lld is later than %d, the last that was checked: what later sets added is refused when the model "
            "is built\n",
            (long long)tremula_onnx_opset(model), LAST_SET);
    size_t types = print_values(model), count = tremula_onnx_count_operators(model, NULL, 0), missing = 0;
    tremula_onnx_use *uses = pop_memory_resize(NULL, count + 1, sizeof(*uses));
    tremula_onnx_count_operators(model, uses, count);
    put("  operators, and how many nodes use each:\n");
    for (size_t i = 0; i < count; ++i) {
        put("    %6zu  %s%s%s", uses[i].nodes, uses[i].domain, *uses[i].domain ? "." : "", uses[i].name);
        if (!uses[i].supported)
            put("   NOT SUPPORTED, first used by node '%s'", uses[i].first_node);
        put("\n");
        missing += !uses[i].supported;
    }
    if (missing)
        put("  %zu of %zu operators are missing: this model cannot run\n", missing, count);
    else
        put("  all %zu operators are supported\n", count);
    pop_memory_free(uses);
    tremula_onnx_destroy(model);
    return missing || types ? EXIT_FOUND : EXIT_DONE;
}

int command_operators(const arguments *a)
{
    (void)a;
    const tremula_onnx_operator *row;
    for (size_t i = 0; (row = tremula_onnx_operator_at(i)); ++i)
        put("%s%s%s since %u%s\n", row->domain, *row->domain ? "." : "", row->name, row->since,
            row->on_host ? ", on the host" : "");
    return EXIT_DONE;
}
