/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of tremula, and what they share. */
#ifndef TREMULA_TREMULA_H
#define TREMULA_TREMULA_H

#include "session.h"

enum { EXIT_DONE = 0, EXIT_FOUND = 1, EXIT_WRONG = 2 };
enum { MAX_WORDS = 64 };

/* Arguments: the model's file, and options with a value. */
typedef struct arguments {
    const char *command, *model;
    const char *input[MAX_WORDS], *dim[MAX_WORDS], *machine[MAX_WORDS];
    unsigned num_input, num_dim, num_machine;
    const char *device, *batch, *batches, *report, *compare, *tolerance, *output, *type, *ipus, *csv, *plot, *jobs,
        *rows, *seed;
} arguments;

/* Fills arguments; says what is wrong and returns false. */
bool read_arguments(arguments *a, int argc, char **argv);
/* Prints "tremula COMMAND: text" to standard error; returns EXIT_WRONG. */
int say(const char *command, const char *format, ...) POP_PRINTF(2, 3);
/* A machine: "cpu", a name or target text, or a file with one; more words may follow. */
bool read_machine(const char *text, const char *more, pop_target *target, pop_error *error);
/* Loads the model, and sets the dimensions and the batch that the arguments give. */
tremula_onnx_model *load_model(const arguments *a, pop_error *error);
/* Reads or draws the inputs of a model: list has an entry for each. */
bool read_inputs(const arguments *a, const tremula_onnx_model *model, tremula_onnx_tensor *list, pop_error *error);
/* Whether the inputs that were read, and the arguments, give all dimensions; the error has the options that do. */
bool check_dimensions(const arguments *a, const tremula_onnx_model *model, const tremula_onnx_tensor *inputs,
                      pop_error *error);
void free_tensors(tremula_onnx_tensor *list, size_t count);
/* A file's tensor by its name: .npy or .pb. */
pop_status read_tensor(const char *path, tremula_onnx_tensor *tensor, pop_error *error);

int command_run(const arguments *a);
int command_inspect(const arguments *a);
int command_sweep(const arguments *a);
int command_operators(const arguments *a);

#endif
