/* SPDX-License-Identifier: Apache-2.0 */
/* What is in a model, before anything is built. */
#include "tremula.h"

#include <poplar/memory.h>
#include <stdio.h>

static void print_value(const char *what, const tremula_onnx_value *value)
{
    put("  %-7s %s: %s", what, value->name, value->type ? tremula_onnx_type_name(value->type) : "no tensor");
    if (value->rank < 0) {
        put(", no shape\n");
        return;
    }
    put(" {");
    for (int i = 0; i < value->rank; ++i) {
        put("%s", i ? ", " : "");
        if (value->dims[i] >= 0)
            put("%lld", (long long)value->dims[i]);
        else
            put("%s", *value->parameters[i] ? value->parameters[i] : "?");
    }
    put("}\n");
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
    for (size_t i = 0; tremula_onnx_input(model, i); ++i)
        print_value("input", tremula_onnx_input(model, i));
    for (size_t i = 0; tremula_onnx_output(model, i); ++i)
        print_value("output", tremula_onnx_output(model, i));
    size_t count = tremula_onnx_count_operators(model, NULL, 0), missing = 0;
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
    return missing ? EXIT_FOUND : EXIT_DONE;
}

int command_operators(const arguments *a)
{
    (void)a;
    const tremula_onnx_operator *row;
    for (size_t i = 0; (row = tremula_onnx_operator_at(i)); ++i)
        put("%s%s%s since %u%s\n", row->domain, *row->domain ? "." : "", row->name, row->since,
            row->on_host ? ", on the host when the graph is built" : "");
    return EXIT_DONE;
}
