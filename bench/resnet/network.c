/* SPDX-License-Identifier: Apache-2.0 */
#include "network.h"

#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <poplin/mat_mul.h>
#include <popnn/codelets.h>
#include <popnn/loss.h>
#include <popnn/non_linearity.h>
#include <popnn/norms.h>
#include <popnn/pooling.h>
#include <popops/codelets.h>
#include <popops/element_wise.h>
#include <popops/reduce.h>
#include <popops/scaled_add.h>
#include <poputil/tile_mapping.h>
#include <stdio.h>
#include <stdlib.h>

enum { STAGES = 4, MAX_BLOCKS = 6, MAX_TRAINED = 3 * (1 + STAGES * (1 + 3 * MAX_BLOCKS)) + 2 };
static const size_t blocks[STAGES] = { 3, 4, 6, 3 };

#define FORWARD  POP_OPTIONS({ "pass", "TRAINING_FWD" })
#define BACKWARD POP_OPTIONS({ "pass", "TRAINING_BWD" })
#define UPDATE   POP_OPTIONS({ "pass", "TRAINING_WU" })

/* A convolution and its batch norm: what the way back needs. */
struct unit {
    poplin_conv_params params;
    pop_tensor in, weights, gamma, beta, whitened, inv_std_dev;
};
/* 1x1, 3x3, 1x1, beside a shortcut, which is a convolution where the shape changes. */
struct block {
    struct unit units[3], shortcut;
    pop_tensor outs[3]; /* after relu */
    bool projects;
};
struct resnet {
    struct resnet_shape shape;
    pop_graph *graph;
    poplin_planning_cache *cache;
    pop_program step;
    struct unit stem;
    struct block blocks[STAGES][MAX_BLOCKS];
    pop_tensor stem_out, pooled, features;
    popnn_pool_params max_pool, average_pool;
    pop_tensor weights, biases; /* of the last layer */
    size_t trained;
    size_t elements[MAX_TRAINED];
};

/* ---- convolutions with norms ---- */

static poplin_conv_params params_of(const struct resnet *n, size_t side, size_t in, size_t out, size_t kernel,
                                    size_t stride)
{
    poplin_conv_params p = poplin_conv_params_make(n->shape.type, n->shape.type, n->shape.images, POP_SHAPE(side, side),
                                                   POP_SHAPE(kernel, kernel), in, out, 1);
    for (size_t d = 0; d < 2; ++d) {
        p.input_transform.padding_lower[d] = p.input_transform.padding_upper[d] = (unsigned)(kernel / 2);
        p.output_transform.stride[d] = (unsigned)stride;
    }
    return p;
}

static pop_tensor unit_forward(struct resnet *n, struct unit *u, pop_tensor in, const char *name)
{
    u->in = in;
    u->weights = poplin_create_weights(n->graph, &u->params, name, FORWARD, n->cache);
    pop_tensor out = poplin_convolution(n->graph, in, u->weights, &u->params, false, n->step, name, FORWARD, n->cache),
               mean;
    poplin_create_norm_params(n->graph, out, name, &u->gamma, &u->beta);
    popnn_batch_norm_statistics(n->graph, out, 1e-5, n->step, false, false, POP_FLOAT, name, POP_NO_OPTIONS, &mean,
                                &u->inv_std_dev);
    return popnn_batch_normalise(n->graph, out, u->gamma, u->beta, mean, u->inv_std_dev, n->step, name, POP_NO_OPTIONS,
                                 &u->whitened);
}

/* The gradient of the unit's input, which the images do not need. */
static pop_tensor unit_backward(struct resnet *n, struct unit *u, pop_tensor grads, bool images, const char *name)
{
    pop_tensor gamma, beta, in = { 0 };
    popnn_batch_norm_param_gradients(n->graph, u->whitened, grads, n->step, POP_FLOAT, name, POP_NO_OPTIONS, &gamma,
                                     &beta);
    grads = popnn_batch_norm_gradients(n->graph, u->whitened, grads, u->inv_std_dev, u->gamma, n->step, POP_FLOAT, name,
                                       POP_NO_OPTIONS);
    popnn_batch_norm_param_update(n->graph, gamma, beta, -n->shape.rate, u->gamma, u->beta, n->step, name,
                                  POP_NO_OPTIONS);
    if (!images) {
        poplin_conv_params back = poplin_get_gradient_params(&u->params);
        in = poplin_convolution(n->graph, grads, u->weights, &back, true, n->step, name, BACKWARD, n->cache);
    }
    poplin_convolution_weight_update_constant(n->graph, grads, u->weights, u->in, &u->params, -n->shape.rate, n->step,
                                              name, UPDATE, n->cache);
    return in;
}

/* ---- blocks ---- */

static pop_tensor block_forward(struct resnet *n, struct block *b, pop_tensor in, const char *name)
{
    pop_tensor out = in, shortcut = b->projects ? unit_forward(n, &b->shortcut, in, name) : in;
    for (size_t i = 0; i < 3; ++i) {
        out = unit_forward(n, &b->units[i], out, name);
        if (i == 2)
            popops_add_in_place(n->graph, out, shortcut, n->step, name);
        popnn_relu_in_place(n->graph, out, n->step, name);
        b->outs[i] = out;
    }
    return out;
}

static pop_tensor block_backward(struct resnet *n, struct block *b, pop_tensor grads, const char *name)
{
    pop_tensor shortcut = { 0 };
    for (size_t i = 3; i-- > 0;) {
        grads = popnn_non_linearity_input_gradient(n->graph, POPNN_RELU, b->outs[i], grads, n->step, name);
        if (i == 2)
            shortcut = b->projects ? unit_backward(n, &b->shortcut, grads, false, name) : grads;
        grads = unit_backward(n, &b->units[i], grads, false, name);
    }
    popops_add_in_place(n->graph, grads, shortcut, n->step, name);
    return grads;
}

/* ---- the network ---- */

static popnn_pool_params pool_of(const struct resnet *n, popnn_pooling_type type, size_t side, size_t channels,
                                 size_t kernel, unsigned stride, int padding)
{
    return (popnn_pool_params){ .type = type,
                                .dims = 2,
                                .input_field = { side, side },
                                .kernel = { kernel, kernel },
                                .stride = { stride, stride },
                                .padding_lower = { padding, padding },
                                .padding_upper = { padding, padding },
                                .channels = channels,
                                .batch = n->shape.images,
                                .data_type = n->shape.type };
}

/* Shapes of all layers: a stage halves the field (but the first) in the 3x3 convolution of its first block. */
static void describe(struct resnet *n)
{
    size_t side = n->shape.side / 4, in = 64;
    n->stem.params = params_of(n, n->shape.side, 3, 64, 7, 2);
    n->max_pool = pool_of(n, POPNN_POOL_MAX, n->shape.side / 2, 64, 3, 2, 1);
    for (size_t s = 0; s < STAGES; ++s)
        for (size_t i = 0; i < blocks[s]; ++i) {
            size_t width = (size_t)64 << s, stride = s && !i ? 2 : 1;
            struct block *b = &n->blocks[s][i];
            b->projects = i == 0;
            b->shortcut.params = params_of(n, side, in, 4 * width, 1, stride);
            b->units[0].params = params_of(n, side, in, width, 1, 1);
            b->units[1].params = params_of(n, side, width, width, 3, stride);
            side /= stride;
            b->units[2].params = params_of(n, side, width, 4 * width, 1, 1);
            in = 4 * width;
        }
    n->average_pool = pool_of(n, POPNN_POOL_AVG, side, in, side, 1, 0);
}

static pop_tensor forward(struct resnet *n, pop_tensor images)
{
    pop_tensor out = n->stem_out = unit_forward(n, &n->stem, images, "stem");
    popnn_relu_in_place(n->graph, out, n->step, "stem");
    out = n->pooled = popnn_pool(n->graph, &n->max_pool, out, n->step, "pool", POP_NO_OPTIONS);
    for (size_t s = 0; s < STAGES; ++s)
        for (size_t i = 0; i < blocks[s]; ++i)
            out = block_forward(n, &n->blocks[s][i], out, "block");
    out = popnn_pool(n->graph, &n->average_pool, out, n->step, "average", POP_NO_OPTIONS);
    n->features = pop_tensor_reshape(out, POP_SHAPE(n->shape.images, n->average_pool.channels));
    n->weights = poplin_create_mat_mul_input_rhs(
        n->graph, n->shape.type, n->shape.type, POP_SHAPE(n->shape.images, n->average_pool.channels),
        POP_SHAPE(n->average_pool.channels, n->shape.classes), "weights", POP_NO_OPTIONS, n->cache);
    n->biases = pop_graph_add_variable(n->graph, n->shape.type, POP_SHAPE(n->shape.classes), "biases");
    poputil_map_tensor_linearly(n->graph, n->biases);
    out = poplin_mat_mul(n->graph, n->features, n->weights, n->step, "classes", POP_NO_OPTIONS, n->cache);
    popops_add_in_place(n->graph, out, n->biases, n->step, "classes");
    return out;
}

/* Softmax and cross entropy: the gradient of the logits. */
static pop_tensor loss_of(struct resnet *n, pop_tensor logits)
{
    pop_tensor labels = pop_graph_add_variable(n->graph, POP_UNSIGNED_INT, POP_SHAPE(n->shape.images), "labels");
    pop_tensor loss = pop_graph_add_variable(n->graph, n->shape.type, POP_SHAPE(n->shape.images), "loss");
    pop_tensor gradient =
        pop_graph_clone(n->graph, n->shape.type, logits, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, "gradient");
    poputil_map_tensor_linearly(n->graph, labels);
    poputil_map_tensor_linearly(n->graph, loss);
    popnn_non_linearity_in_place(n->graph, POPNN_SOFTMAX_STABLE, logits, n->step, "softmax");
    pop_sequence_add(n->step,
                     popnn_calc_loss(n->graph, logits, labels, loss, gradient, POPNN_CROSS_ENTROPY_LOSS, "loss"));
    pop_graph_create_host_write(n->graph, "labels", labels);
    pop_graph_create_host_read(n->graph, "loss", loss);
    return gradient;
}

static void backward(struct resnet *n, pop_tensor grads)
{
    pop_tensor below =
        poplin_mat_mul(n->graph, grads, pop_tensor_transpose(n->weights), n->step, "classes", POP_NO_OPTIONS, n->cache);
    poplin_mat_mul_acc(n->graph, n->weights, (float)-n->shape.rate, pop_tensor_transpose(n->features), grads, n->step,
                       "classes", POP_NO_OPTIONS, n->cache);
    pop_tensor sums = popops_reduce(n->graph, grads, n->shape.type, POP_DIMS(0),
                                    (popops_reduce_params){ .op = POPOPS_ADD }, n->step, "classes", POP_NO_OPTIONS);
    popops_scaled_add_to_constant(n->graph, n->biases, sums, -n->shape.rate, n->step, "classes", POP_NO_OPTIONS);
    grads = pop_tensor_reshape(below, POP_SHAPE(n->shape.images, n->average_pool.channels, 1, 1));
    grads = popnn_pool_input_gradient(n->graph, &n->average_pool, (pop_tensor){ 0 }, (pop_tensor){ 0 }, grads, false,
                                      n->step, "average", POP_NO_OPTIONS);
    for (size_t s = STAGES; s-- > 0;)
        for (size_t i = blocks[s]; i-- > 0;)
            grads = block_backward(n, &n->blocks[s][i], grads, "block");
    grads = popnn_pool_input_gradient(n->graph, &n->max_pool, n->stem_out, n->pooled, grads, false, n->step, "pool",
                                      POP_NO_OPTIONS);
    grads = popnn_non_linearity_input_gradient(n->graph, POPNN_RELU, n->stem_out, grads, n->step, "stem");
    unit_backward(n, &n->stem, grads, true, "stem");
}

/* ---- the interface ---- */

static void plan_unit(struct resnet *n, struct unit *u)
{
    poplin_conv_params back = poplin_get_gradient_params(&u->params),
                       update = poplin_get_weight_update_params(&u->params);
    poplin_report_plan_estimated_costs(n->graph, &u->params, FORWARD, n->cache);
    if (u != &n->stem) /* images need no gradients */
        poplin_report_plan_estimated_costs(n->graph, &back, BACKWARD, n->cache);
    poplin_report_plan_estimated_costs(n->graph, &update, UPDATE, n->cache);
}

static void accept_trained(struct resnet *n, pop_tensor t)
{
    char handle[32];
    snprintf(handle, sizeof(handle), "trained %zu", n->trained);
    pop_graph_create_host_write(n->graph, handle, t);
    pop_graph_create_host_read(n->graph, handle, t);
    n->elements[n->trained++] = pop_tensor_num_elements(t);
}

static void accept_unit(struct resnet *n, struct unit *u)
{
    accept_trained(n, pop_tensor_squeeze(u->weights, POP_DIMS(0))); /* one group */
    accept_trained(n, u->gamma);
    accept_trained(n, u->beta);
}

/* Calls visit for each convolution. */
static void each_unit(struct resnet *n, void (*visit)(struct resnet *n, struct unit *u))
{
    visit(n, &n->stem);
    for (size_t s = 0; s < STAGES; ++s)
        for (size_t i = 0; i < blocks[s]; ++i) {
            struct block *b = &n->blocks[s][i];
            for (size_t k = 0; k < 3; ++k)
                visit(n, &b->units[k]);
            if (b->projects)
                visit(n, &b->shortcut);
        }
}

struct resnet *resnet_create(const pop_target *target, const struct resnet_shape *shape)
{
    struct resnet *n = calloc(1, sizeof(*n));
    if (!n)
        exit(1);
    n->shape = *shape;
    n->graph = pop_graph_create(target);
    n->cache = poplin_planning_cache_create();
    popops_add_codelets(n->graph);
    poplin_add_codelets(n->graph);
    popnn_add_codelets(n->graph);
    describe(n);
    return n;
}

void resnet_destroy(struct resnet *n)
{
    poplin_planning_cache_destroy(n->cache);
    pop_graph_destroy(n->graph);
    free(n);
}

void resnet_plan(struct resnet *n)
{
    each_unit(n, plan_unit);
}

void resnet_build(struct resnet *n)
{
    n->step = pop_sequence(n->graph, "step");
    pop_tensor images = poplin_create_input(n->graph, &n->stem.params, "images", FORWARD, n->cache);
    pop_graph_create_host_write(n->graph, "images", images);
    backward(n, loss_of(n, forward(n, images)));
    each_unit(n, accept_unit);
    accept_trained(n, n->weights);
    accept_trained(n, n->biases);
}

pop_graph *resnet_graph(const struct resnet *n)
{
    return n->graph;
}
pop_program resnet_step(const struct resnet *n)
{
    return n->step;
}
size_t resnet_num_trained(const struct resnet *n)
{
    return n->trained;
}
size_t resnet_num_elements(const struct resnet *n, size_t trained)
{
    return n->elements[trained];
}
