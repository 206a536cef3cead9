/* SPDX-License-Identifier: Apache-2.0 */
/* bench_onnx_by_hand [half|float]: the network of `tests/onnx/models.py resnet50`, one image of 224 x 224, written with
 * the libraries' calls: what comes in between when the same network is an ONNX file is the difference to
 * `tremula run` (run).  Prints the seconds of its steps, and cycles.  Weights are 0: nothing here depends on them. */
#include "../timed.h"

#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <poplin/mat_mul.h>
#include <popnn/codelets.h>
#include <popnn/non_linearity.h>
#include <popnn/pooling.h>
#include <popops/codelets.h>
#include <popops/element_wise.h>
#include <popops/reduce.h>
#include <poputil/tile_mapping.h>
#include <stdio.h>
#include <string.h>

enum { SIDE = 224, CLASSES = 1000, STAGES = 4 };

struct network {
    pop_graph *graph;
    poplin_planning_cache *cache;
    pop_program program;
    pop_type type;
    size_t side, channels; /* of the last layer */
};

static poplin_conv_params params_of(const struct network *n, size_t out, size_t kernel, unsigned stride)
{
    poplin_conv_params p = poplin_conv_params_make(n->type, n->type, 1, POP_SHAPE(n->side, n->side),
                                                   POP_SHAPE(kernel, kernel), n->channels, out, 1);
    for (size_t d = 0; d < 2; ++d) {
        p.input_transform.padding_lower[d] = p.input_transform.padding_upper[d] = (unsigned)(kernel / 2);
        p.output_transform.stride[d] = stride;
    }
    return p;
}

/* A convolution with biases. */
static pop_tensor conv(struct network *n, pop_tensor in, size_t out, size_t kernel, unsigned stride, const char *name)
{
    poplin_conv_params p = params_of(n, out, kernel, stride);
    if (!pop_tensor_valid(in)) { /* the first layer says how the image is spread */
        in = poplin_create_input(n->graph, &p, "image", POP_NO_OPTIONS, n->cache);
        pop_stream stream = pop_graph_add_host_to_device_fifo(n->graph, "image", n->type, pop_tensor_num_elements(in),
                                                              POP_STREAM_REPLICATE, POP_NO_OPTIONS);
        pop_sequence_add(n->program, pop_copy_from_stream(stream, in, true, "image"));
    }
    pop_tensor weights = poplin_create_weights(n->graph, &p, name, POP_NO_OPTIONS, n->cache);
    pop_tensor result =
        poplin_convolution(n->graph, in, weights, &p, false, n->program, name, POP_NO_OPTIONS, n->cache);
    pop_tensor biases = poplin_create_biases(n->graph, result, name, POP_NO_OPTIONS);
    poplin_add_bias(n->graph, result, biases, n->program, name, POP_NO_OPTIONS);
    n->side /= stride;
    n->channels = out;
    return result;
}

static pop_tensor conv_relu(struct network *n, pop_tensor in, size_t out, size_t kernel, unsigned stride)
{
    pop_tensor result = conv(n, in, out, kernel, stride, "conv");
    popnn_relu_in_place(n->graph, result, n->program, "relu");
    return result;
}

static pop_tensor max_pool(struct network *n, pop_tensor in)
{
    popnn_pool_params p = { .type = POPNN_POOL_MAX,
                            .dims = 2,
                            .input_field = { n->side, n->side },
                            .kernel = { 3, 3 },
                            .stride = { 2, 2 },
                            .padding_lower = { 1, 1 },
                            .padding_upper = { 1, 1 },
                            .channels = n->channels,
                            .batch = 1,
                            .data_type = n->type };
    n->side /= 2;
    return popnn_pool(n->graph, &p, in, n->program, "pool", POP_NO_OPTIONS);
}

static pop_tensor block(struct network *n, pop_tensor in, size_t width, unsigned stride, bool projects)
{
    struct network before = *n;
    pop_tensor out = conv_relu(n, in, width, 1, 1);
    out = conv_relu(n, out, width, 3, stride);
    out = conv(n, out, 4 * width, 1, 1, "conv");
    if (projects)
        in = conv(&before, in, 4 * width, 1, stride, "shortcut");
    popops_add_in_place(n->graph, out, in, n->program, "add");
    popnn_relu_in_place(n->graph, out, n->program, "relu");
    return out;
}

static void end(struct network *n, pop_tensor in)
{
    pop_tensor mean = popops_reduce(n->graph, in, n->type, POP_DIMS(2, 3), (popops_reduce_params){ .op = POPOPS_ADD },
                                    n->program, "mean", POP_NO_OPTIONS);
    mean = popops_mul(n->graph, mean, 1.0 / (double)(n->side * n->side), n->program, "mean");
    pop_tensor weights =
        poplin_create_mat_mul_input_rhs(n->graph, n->type, n->type, POP_SHAPE(1, n->channels),
                                        POP_SHAPE(n->channels, CLASSES), "weights", POP_NO_OPTIONS, n->cache);
    pop_tensor out = poplin_mat_mul(n->graph, mean, weights, n->program, "classes", POP_NO_OPTIONS, n->cache);
    pop_tensor biases =
        pop_graph_add_variable_mapped(n->graph, n->type, POP_SHAPE(CLASSES), POP_MAPPING_LINEAR, "biases");
    popops_add_in_place(n->graph, out, biases, n->program, "classes");
    pop_stream stream = pop_graph_add_device_to_host_fifo(n->graph, "classes", n->type, CLASSES, POP_NO_OPTIONS);
    pop_sequence_add(n->program, pop_copy_to_stream(out, stream, true, "classes"));
}

static void build(struct network *n)
{
    static const size_t blocks[STAGES] = { 3, 4, 6, 3 };
    pop_tensor x = max_pool(n, conv_relu(n, (pop_tensor){ 0 }, 64, 7, 2));
    for (size_t s = 0; s < STAGES; ++s)
        for (size_t i = 0; i < blocks[s]; ++i)
            x = block(n, x, (size_t)64 << s, s && !i ? 2 : 1, i == 0);
    end(n, x);
}

int main(int argc, char **argv)
{
    pop_error error = { 0 };
    pop_cycles cycles = { 0 };
    double began = seconds();
    pop_device *device = pop_ipu_model_create_device(&(pop_ipu_model){ .version = "ipu2" }, &error);
    must(device ? POP_OK : error.status, &error);
    struct network n = { .graph = pop_graph_create(pop_device_target(device)),
                         .cache = poplin_planning_cache_create(),
                         .type = argc > 1 && strcmp(argv[1], "float") == 0 ? POP_FLOAT : POP_HALF,
                         .side = SIDE,
                         .channels = 3 };
    popops_add_codelets(n.graph);
    poplin_add_codelets(n.graph);
    popnn_add_codelets(n.graph);
    n.program = pop_sequence(n.graph, "ResNet-50");
    build(&n);
    double built = seconds();
    pop_engine *engine = pop_engine_create(n.graph, POP_PROGRAMS(n.program), POP_NO_OPTIONS, &error);
    must(engine ? POP_OK : error.status, &error);
    must(pop_engine_load(engine, device, &error), &error);
    double compiled = seconds();
    static float image[3 * SIDE * SIDE], classes[CLASSES]; /* in half, half of it */
    must(pop_engine_connect_stream(engine, "image", image, &error), &error);
    must(pop_engine_connect_stream(engine, "classes", classes, &error), &error);
    must(pop_engine_run(engine, 0, &error), &error);
    double ran = seconds();
    must(pop_engine_cycles(engine, &cycles, &error), &error);
    printf("built in %.2f s, compiled in %.2f s, run in %.2f s\n%llu cycles\n", built - began, compiled - built,
           ran - compiled, (unsigned long long)cycles.total);
    pop_engine_destroy(engine);
    poplin_planning_cache_destroy(n.cache);
    pop_graph_destroy(n.graph);
    pop_device_destroy(device);
    return 0;
}
