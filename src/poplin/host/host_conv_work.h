/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that all kinds of host convolutions share: operands, field, compute sets, and the packed right operand B.
 */
#ifndef POPLIN_HOST_HOST_CONV_WORK_H
#define POPLIN_HOST_HOST_CONV_WORK_H

#include "poplibs/call.h"
#include "poplin/host/host_conv_field.h"
#include "poplin/host/host_conv_operand.h"
#include "poplin/host/host_conv_words.h"

struct host_conv_work {
    const struct call *call;
    const struct host_conv *conv;
    pop_compute_set pack, multiply;
    struct host_conv_operand input;
    struct conv_field field;
    struct host_conv_words words;
    pop_tensor field_words;
    size_t outputs; /* of all dimensions */
};

/* by_phases: as host_conv_words.  After an error it returns false, with nothing to free. */
bool host_conv_begin(struct host_conv_work *work, const struct host_conv *conv, pop_tensor input, bool by_phases,
                     pop_program sequence);
/* Adds both compute sets to sequence. */
void host_conv_end(struct host_conv_work *work, pop_program sequence);

/* Adds a vertex poplin::KIND<type> with its common fields. */
pop_vertex host_conv_add_vertex(const struct host_conv_work *work, pop_compute_set set, const char *kind,
                                pop_type type);
void host_conv_set(const struct host_conv_work *work, pop_vertex vertex, const char *field, size_t value);
void host_conv_connect(const struct host_conv_work *work, pop_vertex vertex, const char *field, pop_tensor t);

/* A matrix with a row for each of `channels` of each position. */
struct host_conv_right {
    const struct host_conv_operand *of;
    const unsigned *positions; /* their offsets */
    size_t count, first, channels, stride_channel, stride_column, columns;
};

/* Packs B into `packed`, from element `at` on; returns its end. */
size_t host_conv_pack(const struct host_conv_work *work, const struct host_conv_right *b, pop_tensor packed, size_t at);
/* A variable for packed B's with `depth` rows in all. */
pop_tensor host_conv_new_packed(const struct host_conv_work *work, size_t depth, size_t columns);

/* Kernel positions of all phases together. */
size_t host_conv_positions(const struct host_conv_work *work);
/* Offsets of the weights of a phase's positions; free().  transposed: as host_conv_convolve. */
unsigned *host_conv_weight_offsets(const struct host_conv_work *work, const struct host_conv_phase *phase,
                                   const struct host_conv_operand *weights, bool transposed);
/* t, with a cast if its type differs. */
pop_tensor host_conv_as_type(const struct host_conv *conv, pop_tensor t, pop_type type, pop_program sequence);

#endif
