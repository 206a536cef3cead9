/* SPDX-License-Identifier: Apache-2.0 */
/* One model on one machine: from a loaded model to an engine that has run. */
#ifndef TREMULA_SESSION_H
#define TREMULA_SESSION_H

#include <poplar/engine.h>
#include <poplar/profile.h>
#include <tremula/onnx.h>

typedef struct session {
    tremula_onnx_model *model;
    const pop_target *target;
    pop_options build_options, engine_options;
    tremula_onnx_tensor *inputs; /* by input; data NULL: not given */
    size_t num_inputs;
    size_t batches; /* that one run takes; 0 is 1.  Their inputs and outputs are one after the other in dimension 0 */
    pop_device *device;
    pop_graph *graph;
    pop_program program;
    pop_engine *engine;
    tremula_onnx_tensor *outputs; /* by output, after running */
    size_t num_outputs;
    void **buffers; /* of the streams */
    size_t num_buffers;
} session;

/* Builds the model, with the inputs that decide shapes bound to what is given.  target and options are borrowed. */
pop_status session_build(session *s, pop_error *error);
/* Compiles and loads. */
pop_status session_compile(session *s, pop_error *error);
/* Runs once, and fills outputs. */
pop_status session_run(session *s, pop_error *error);
/* Frees everything but the model, and the tensors of inputs. */
void session_end(session *s);
/* The names of input or output, for messages. */
size_t count_inputs(const tremula_onnx_model *model);
size_t count_outputs(const tremula_onnx_model *model);
/* Fills an error; returns its status. */
pop_status tool_fail(pop_error *error, pop_status status, const char *format, ...) POP_PRINTF(3, 4);

/* printf to standard output, with numbers that do not follow the locale. */
void put(const char *format, ...) POP_PRINTF(1, 2);

#endif
