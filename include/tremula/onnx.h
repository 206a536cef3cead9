/* SPDX-License-Identifier: Apache-2.0 */
/* ONNX models: load a file, ask what is in it, build it into a graph.
 *
 *     tremula_onnx_model *model = tremula_onnx_load("model.onnx", &error);
 *     pop_program program;
 *     if (model && tremula_onnx_build(model, graph, POP_NO_OPTIONS, &program, &error) == POP_OK)
 *         ... compile program, connect the streams, tremula_onnx_connect, run
 *
 * A model's inputs and outputs are streams of the graph, whose handles are their names (tremula_onnx_handle); elements
 * in a stream have the type of tremula_onnx_host_type.
 *
 * Types on the device: float and double are FLOAT, float16 is HALF (all of them HALF with the option "type": "half"),
 * integers are INT or UNSIGNED_INT of 32 bits, bool is BOOL.  Integers that enter must fit; arithmetic of 8 and 16 bits
 * wraps around as ONNX's does.  Strings, sequences, maps, optional values and complex numbers are not supported.
 *
 * Shapes are fixed when a graph is built: symbolic dimensions need a value (tremula_onnx_set_dimension), and an input
 * that decides a shape (the new shape of a Reshape, say) needs its contents (tremula_onnx_bind).  Nodes all of whose
 * inputs are known are computed on the host when the graph is built.
 *
 * Errors name the file and the node: file_load_error and parse_error for files, poplar_error for what a model does
 * against ONNX's rules. */
#ifndef TREMULA_ONNX_H
#define TREMULA_ONNX_H

#include <poplar/engine.h>
#include <poplar/graph.h>
#include <poplar/program.h>

typedef struct tremula_onnx_model tremula_onnx_model; /* owner: tremula_onnx_destroy */

/* ONNX's numbers of element types (TensorProto.DataType). */
typedef enum tremula_onnx_type {
    TREMULA_ONNX_UNDEFINED = 0,
    TREMULA_ONNX_FLOAT,
    TREMULA_ONNX_UINT8,
    TREMULA_ONNX_INT8,
    TREMULA_ONNX_UINT16,
    TREMULA_ONNX_INT16,
    TREMULA_ONNX_INT32,
    TREMULA_ONNX_INT64,
    TREMULA_ONNX_STRING,
    TREMULA_ONNX_BOOL,
    TREMULA_ONNX_FLOAT16,
    TREMULA_ONNX_DOUBLE,
    TREMULA_ONNX_UINT32,
    TREMULA_ONNX_UINT64,
    TREMULA_ONNX_COMPLEX64,
    TREMULA_ONNX_COMPLEX128,
    TREMULA_ONNX_BFLOAT16,
    TREMULA_ONNX_TYPES
} tremula_onnx_type;

enum { TREMULA_ONNX_MAX_RANK = 12 };

/* An input or output of a model.  dims are -1 where the file gives no number; parameters are the names of such
 * dimensions ("batch"), "" where they have none.  rank is -1 when the file gives no shape.  Borrowed from the model. */
typedef struct tremula_onnx_value {
    const char *name;                              /* in the model */
    tremula_onnx_type type;                        /* type of the elements */
    int rank;                                      /* number of dimensions; -1: not known */
    int64_t dims[TREMULA_ONNX_MAX_RANK];           /* extents; -1: no number in the file */
    const char *parameters[TREMULA_ONNX_MAX_RANK]; /* names of extents without a number; "" for others */
} tremula_onnx_value;

/* A tensor in host memory: row-major, elements of ONNX's type in their own width.  Who gives one owns its data. */
typedef struct tremula_onnx_tensor {
    tremula_onnx_type type;             /* type of the elements */
    size_t rank;                        /* number of dimensions */
    size_t dims[TREMULA_ONNX_MAX_RANK]; /* extents, outermost first */
    void *data;                         /* the elements, in row-major order */
} tremula_onnx_tensor;

/* One operator of the table of those that are supported. */
typedef struct tremula_onnx_operator {
    const char *name;      /* "Conv" */
    const char *domain;    /* "" for ONNX's own */
    unsigned since, until; /* operator sets for which this row holds */
    bool on_host; /* computed on the host, when the graph is built, since the shape of its result depends on values;
                   * NonMaxSuppression also by a host function while the program runs (tremula_onnx_connect) */
} tremula_onnx_operator;

/* What a model's nodes of one operator are: tremula_onnx_count_operators. */
typedef struct tremula_onnx_use {
    const char *name, *domain; /* of the operator; "" for ONNX's own domain */
    size_t nodes;              /* nodes that use it */
    bool supported;            /* whether it is in the table */
    const char *first_node;    /* a node that uses it */
} tremula_onnx_use;

/* What building learned of a node: for tables beside a report. */
typedef struct tremula_onnx_node_cost {
    const char *name, *operator_name;  /* of the node and of its operator */
    size_t weight_bytes, output_bytes; /* of the constants it reads, and of its results */
    double flops; /* two for each product of a convolution, matrix product or recurrent layer, one for each element of
                   * other nodes, none for those that only arrange elements */
    unsigned ipu; /* IPU of its stage */
} tremula_onnx_node_cost;

POP_BEGIN_DECLS

/* ---- models ---- */

/* Reads a file, and checks it: names that no node gives, cycles, sizes.  External data are read from files in the
 * model's directory.  NULL, with the reason in error (may be NULL): file_load_error, parse_error. */
POP_API tremula_onnx_model *tremula_onnx_load(const char *path, pop_error *error);
/* Reads a model from memory and checks it, as tremula_onnx_load; directory is where external data are, or NULL: then
 * there may be none. */
POP_API tremula_onnx_model *tremula_onnx_read(const void *data, size_t size, const char *directory, pop_error *error);
POP_API void tremula_onnx_destroy(tremula_onnx_model *model); /* NULL is allowed */

/* Inputs that no initialiser gives, and outputs, in the file's order; NULL beyond the last. */
POP_API const tremula_onnx_value *tremula_onnx_input(const tremula_onnx_model *model, size_t index);
POP_API const tremula_onnx_value *tremula_onnx_output(const tremula_onnx_model *model, size_t index);
/* Version of the operator set that the model imports. */
POP_API int64_t tremula_onnx_opset(const tremula_onnx_model *model);
POP_API const char *tremula_onnx_producer(const tremula_onnx_model *model); /* "" when the file names none */
POP_API size_t tremula_onnx_num_nodes(const tremula_onnx_model *model);     /* of the main graph */
POP_API size_t tremula_onnx_weight_bytes(
    const tremula_onnx_model *model); /* of initialisers and of tensors in nodes, in their own types */
/* Operators that the model uses, by name, those of inner graphs too.  Writes at most capacity, returns their number. */
POP_API size_t tremula_onnx_count_operators(const tremula_onnx_model *model, tremula_onnx_use *uses, size_t capacity);
/* The table of supported operators.  Static storage. */
POP_API const tremula_onnx_operator *tremula_onnx_operator_at(size_t index); /* NULL beyond the last */

/* ---- before building ---- */

/* The value of a symbolic dimension, by its name, or of dimension i of an input alone, by "input:i" ("x:0"), which the
 * last one that is given decides.  index_error: no such dimension. */
POP_API pop_status tremula_onnx_set_dimension(tremula_onnx_model *model, const char *name, size_t value,
                                              pop_error *error);
/* Gives an input a shape; poplar_error when it contradicts the file's. */
POP_API pop_status tremula_onnx_set_shape(tremula_onnx_model *model, size_t input, pop_shape shape, pop_error *error);
/* Fixes the contents of an input: it is no stream then.  The tensor is copied. */
POP_API pop_status tremula_onnx_bind(tremula_onnx_model *model, size_t input, const tremula_onnx_tensor *value,
                                     pop_error *error);
/* Whether the last build failed since the contents of this input must be known. */
POP_API bool tremula_onnx_needs_value(const tremula_onnx_model *model, size_t input);

/* ---- building ---- */

/* Adds the model to a graph; *program runs it once: streams in, nodes, streams out.  The graph gets the codelets of the
 * libraries that it needs.  The nodes are distributed over the IPUs of the graph's target, each a stage of whole nodes.
 * Options: "type": "float" (default) or "half": the type of real numbers on the device; "batches": a number, 1 by
 * default: program takes that many batches, one after the other from each stream, and on several IPUs each stage works
 * on another batch at the same time; "availableMemoryProportion" and "partialsType": as poplin takes them. */
POP_API pop_status tremula_onnx_build(tremula_onnx_model *model, pop_graph *graph, pop_options options,
                                      pop_program *program, pop_error *error) POP_MUST_CHECK;
/* After building: the tensors that cross the host's boundary.  host type is the type of elements in the stream. */
POP_API bool tremula_onnx_is_bound(const tremula_onnx_model *model, size_t input);
/* Handle of the stream of an input; NULL if it has none. */
POP_API const char *tremula_onnx_input_handle(const tremula_onnx_model *model, size_t input);
/* Handle of the stream of an output; NULL if it has none. */
POP_API const char *tremula_onnx_output_handle(const tremula_onnx_model *model, size_t output);
/* Type of the elements in an input's stream. */
POP_API pop_type tremula_onnx_input_host_type(const tremula_onnx_model *model, size_t input);
/* Type of the elements in an output's stream. */
POP_API pop_type tremula_onnx_output_host_type(const tremula_onnx_model *model, size_t output);
/* Shapes after building; data is NULL, except of an output that was computed when the graph was built: it has no
 * stream. */
POP_API tremula_onnx_tensor tremula_onnx_built_input(const tremula_onnx_model *model, size_t input);
POP_API tremula_onnx_tensor tremula_onnx_built_output(const tremula_onnx_model *model, size_t output);
/* Connects what the host computes while the program runs (NonMaxSuppression of boxes that the device computes), if
 * there is anything.  The model stays as it was built until the engine has run the last time. */
POP_API pop_status tremula_onnx_connect(const tremula_onnx_model *model, pop_engine *engine,
                                        pop_error *error) POP_MUST_CHECK;
/* An output has as many rows as there can be where values decide how many there are.  After a run: moves the elements
 * of those that there are together, and changes the extent; tensor is that output of a batch (0 for the first), in the
 * shape of tremula_onnx_built_output.  No effect on other outputs. */
POP_API void tremula_onnx_cut_output(const tremula_onnx_model *model, size_t output, size_t batch,
                                     tremula_onnx_tensor *tensor);
/* Node i of the main graph in the order of building; false beyond the last. */
POP_API bool tremula_onnx_node(const tremula_onnx_model *model, size_t index, tremula_onnx_node_cost *cost);
/* The part, from 0 to 1, of all bytes of weights and outputs that the IPU with most of them would hold, were the nodes
 * of the last build divided over so many IPUs. */
POP_API double tremula_onnx_largest_share(const tremula_onnx_model *model, unsigned ipus);

/* ---- tensors ---- */

POP_API size_t tremula_onnx_type_size(tremula_onnx_type type);      /* 0 for types without a fixed size */
POP_API const char *tremula_onnx_type_name(tremula_onnx_type type); /* "float32"; "" for an invalid value. */
/* Number of elements: the product of the extents. */
POP_API size_t tremula_onnx_tensor_elements(const tremula_onnx_tensor *tensor);
/* Converts elements between ONNX's types and those of streams; index_error when an integer does not fit. */
POP_API pop_status tremula_onnx_to_stream(const tremula_onnx_tensor *tensor, pop_type type, void *elements,
                                          pop_error *error) POP_MUST_CHECK;
/* Converts elements of a stream to the tensor's type, and writes them to its data. */
POP_API void tremula_onnx_from_stream(pop_type type, const void *elements, tremula_onnx_tensor *tensor);
/* A file with one TensorProto (.pb).  The caller frees tensor->data with pop_memory_free. */
POP_API pop_status tremula_onnx_load_tensor(const char *path, tremula_onnx_tensor *tensor,
                                            pop_error *error) POP_MUST_CHECK;
/* A file of NumPy (.npy), C order; reading and writing. */
POP_API pop_status tremula_onnx_load_npy(const char *path, tremula_onnx_tensor *tensor,
                                         pop_error *error) POP_MUST_CHECK;
/* Writes a tensor to a file of NumPy (.npy), C order. */
POP_API pop_status tremula_onnx_save_npy(const char *path, const tremula_onnx_tensor *tensor,
                                         pop_error *error) POP_MUST_CHECK;

POP_END_DECLS
#endif
