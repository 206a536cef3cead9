/* SPDX-License-Identifier: Apache-2.0 */
/* The CTC loss of logits, float: entries of full length, on tile 0; the host sends the inputs before it. */
#include "rows.h"

#include <popnn/ctc_loss.h>

#include <stdio.h>

/* One stream into a tensor, as a part of the program. */
static void upload(struct passes *passes, pop_program program, pop_tensor t, const char *what, size_t entry)
{
    char name[32];
    snprintf(name, sizeof(name), "%s%zu", what, entry);
    pop_stream stream = pop_graph_add_host_to_device_fifo(
        passes->graph, name, pop_tensor_type(t), pop_tensor_num_elements(t), POP_STREAM_REPLICATE, POP_NO_OPTIONS);
    pass_stream(passes, stream);
    pop_sequence_add(program, pop_copy_from_stream(stream, t, false, name));
}
static pop_tensor lengths(pop_graph *graph, size_t batch, const char *name)
{
    pop_tensor t = pop_graph_add_variable(graph, POP_UNSIGNED_INT, POP_SHAPE(batch), name);
    pop_graph_set_tile_mapping(graph, t, 0);
    return t;
}

void build_ctc_loss(pop_graph *graph, struct passes *passes, const struct row *row)
{
    unsigned batch = (unsigned)row_number(row, "batch", row_number(row, "batch-size", 1)),
             time = (unsigned)row_number(row, "max-time", 1), label = (unsigned)row_number(row, "max-label-length", 1),
             classes = (unsigned)row_number(row, "num-classes", 2);
    pop_type type = row_type(row, POP_FLOAT);
    popnn_ctc_plan plan = popnn_ctc_loss_plan(graph, type, type, batch, time, label, classes, POP_NO_OPTIONS);
    pop_tensor data = popnn_ctc_create_data_input(graph, type, batch, time, classes, &plan, "data"),
               labels = popnn_ctc_create_labels_input(graph, POP_UNSIGNED_INT, batch, label, &plan, "labels"),
               data_lengths = lengths(graph, batch, "dataLengths"),
               label_lengths = lengths(graph, batch, "labelLengths");
    pop_program program = pass_begin(passes, "ctc");
    upload(passes, program, data_lengths, "dataLengths", 0);
    upload(passes, program, label_lengths, "labelLengths", 0);
    for (size_t entry = 0; entry < batch; ++entry) {
        upload(passes, program, pop_tensor_slice(data, entry, entry + 1, 1), "data", entry);
        upload(passes, program, pop_tensor_at(labels, entry), "label", entry);
    }
    popnn_ctc_loss_and_gradient_logits(graph, type, data, labels, data_lengths, label_lengths, program, 0, &plan, "ctc",
                                       POP_NO_OPTIONS);
}
