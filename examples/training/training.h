/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the training examples: their options, the digits, the graph's inputs and outputs (pictures and labels, loss
 * and accuracy) and the loop over epochs.
 *
 *     main: training_open -> a network's forward and backward parts added to t.forward and t.backward -> training_run
 */
#ifndef EXAMPLES_TRAINING_H
#define EXAMPLES_TRAINING_H

#include "digits/digits.h"

#include <poplar/poplar.h>
#include <poplin/codelets.h>
#include <poplin/mat_mul.h>
#include <popnn/codelets.h>
#include <popnn/loss.h>
#include <popnn/non_linearity.h>
#include <popops/codelets.h>
#include <popops/collectives.h>
#include <popops/element_wise.h>
#include <popops/fill.h>
#include <popops/reduce.h>
#include <popops/scaled_add.h>
#include <poputil/poputil.h>

enum { TRAINING_WEIGHTS = 16 };

struct training {
    /* options */
    const char *data, *save;
    unsigned epochs, batch; /* batch: of one replica */
    unsigned replicas;      /* each with a part of every batch; 0: the network runs on one */
    size_t train_digits, test_digits;
    double rate;
    bool profile;
    /* data */
    struct digits train, test;
    /* graph */
    pop_device *device;
    pop_graph *graph;
    poplin_planning_cache *cache;
    pop_tensor images, labels;     /* {batch, 784} FLOAT, {batch} UNSIGNED_INT */
    pop_program forward, backward; /* sequences: pictures to loss; gradients and the update */
    pop_tensor deltas;             /* {batch, 10}: the gradient of the logits, once training_loss was called */
    uint64_t random;               /* for first weights */
    /* kept by the calls below */
    pop_tensor weights[TRAINING_WEIGHTS]; /* that were given first values */
    unsigned weight_count;
    pop_tensor loss_sum, correct_sum;
    pop_stream image_stream, label_stream;
};

/* "mlp [--epochs N] [--batch N] ..."; an unknown option ends the program. */
struct training training_open(int argc, char **argv, const struct training *defaults);
/* A variable {rows, columns...} with the layout of its allocation function, and initial values: normal, with a standard
 * deviation. */
void training_first_values(struct training *t, pop_tensor weights, float deviation);
/* Adds softmax, cross-entropy loss and accuracy of logits {batch, 10} to the forward part. */
void training_loss(struct training *t, pop_tensor logits);
/* w = w - rate / batch * gradient, in the backward part; of several replicas the gradients' sum and the whole batch. */
void training_update(struct training *t, pop_tensor w, pop_tensor gradient, const char *name);
/* Compiles, trains epoch by epoch and prints a line for each, and prints the summary of the profile; returns the
 * program's exit code. */
int training_run(struct training *t, const char *title);

#endif
