/* SPDX-License-Identifier: Apache-2.0 */
/* One training step of ResNet-50 with the stride in the 3x3 convolutions: batch norms of the batch, softmax with cross
 * entropy summed over the batch, plain gradient descent. */
#ifndef RESNET_NETWORK_H
#define RESNET_NETWORK_H

#include <poplar/poplar.h>

struct resnet_shape {
    pop_type type;                /* of all values: HALF or FLOAT */
    size_t images, side, classes; /* side: a multiple of 32 */
    double rate;
};

/* A graph with the codelets of the libraries; ends the process without memory. */
struct resnet *resnet_create(const pop_target *target, const struct resnet_shape *shape);
void resnet_destroy(struct resnet *n);

/* Plans all convolutions of the step. */
void resnet_plan(struct resnet *n);
/* Builds the step. Handles to write: "images" {images, 3, side, side}, "labels" {images}, UNSIGNED_INT; to read: "loss"
 * {images}; to do both: "trained 0", "trained 1", ... */
void resnet_build(struct resnet *n);

pop_graph *resnet_graph(const struct resnet *n);
pop_program resnet_step(const struct resnet *n);
/* What is trained, in the order of the layers: weights {outputs, inputs, height, width}, gamma and beta of each
 * convolution, that of a shortcut after the others of its block; then weights {inputs, classes} and biases. */
size_t resnet_num_trained(const struct resnet *n);
size_t resnet_num_elements(const struct resnet *n, size_t trained);

#endif
