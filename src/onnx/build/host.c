/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/build/build.h"

#include <poplar/text.h>

static void describe(pop_tensors tensors, pop_host_argument *arguments)
{
    for (size_t i = 0; i < tensors.count; ++i)
        arguments[i] =
            (pop_host_argument){ pop_tensor_type(tensors.list[i]), pop_tensor_num_elements(tensors.list[i]) };
}

bool onnx_call_host(onnx_builder *b, pop_host_callback function, void *user, pop_tensors inputs, pop_tensors outputs)
{
    if (!onnx_ok(b))
        return false;
    char handle[200]; /* a node within a loop is built several times */
    pop_text_format(handle, sizeof(handle), "host/%zu/%s", b->model->num_host_steps++, b->name);
    onnx_host_step *step = onnx_new(b->arena, 1, sizeof(*step));
    *step = (onnx_host_step){ onnx_keep_text(b->arena, handle), function, user, b->model->host_steps };
    b->model->host_steps = step;
    pop_host_argument *arguments = onnx_new(b->arena, inputs.count + outputs.count, sizeof(*arguments));
    describe(inputs, arguments);
    describe(outputs, arguments + inputs.count);
    pop_host_function host = pop_graph_add_host_function_at(b->where, b->graph, step->handle, arguments, inputs.count,
                                                            arguments + inputs.count, outputs.count);
    pop_sequence_add_at(b->where, b->program, pop_call_host_at(b->where, host, inputs, outputs, b->name));
    return onnx_ok(b);
}

pop_status tremula_onnx_connect(const tremula_onnx_model *model, pop_engine *engine, pop_error *error)
{
    for (const onnx_host_step *step = model->host_steps; step; step = step->next) {
        pop_status status = pop_engine_connect_host_function(engine, step->handle, step->function, step->user, error);
        if (status != POP_OK)
            return status;
    }
    return POP_OK;
}
