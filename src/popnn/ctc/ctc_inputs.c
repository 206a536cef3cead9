/* SPDX-License-Identifier: Apache-2.0 */
/* Creates tensors on the tiles where a CTC loss reads them. */
#include "popnn/ctc/ctc.h"

#include "poplibs/log.h"

#include <popnn/ctc_loss.h>

pop_tensor popnn_ctc_create_data_input_at(pop_where where, pop_graph *graph, pop_type type, size_t batch_size,
                                          size_t max_time, size_t num_classes, const popnn_ctc_plan *plan,
                                          const char *name)
{
    POPLIBS_CALL(graph, log_type(type), batch_size, max_time, num_classes, name);
    const pop_tensor none = { 0 };
    if (!call_ready(call) || !ctc_check_plan(call, plan, POPNN_CTC_LOSS, batch_size, max_time, num_classes))
        return none;
    if (type != POP_HALF && type != POP_FLOAT) {
        call_fail(call, POP_TYPE_ERROR, "the data cannot be %s; half or float is needed", pop_type_name(type));
        return none;
    }
    pop_tensor t = pop_graph_add_variable(graph, type, POP_SHAPE(batch_size, max_time, num_classes), name);
    size_t pieces = plan->time_splits * ctc_label_tiles(plan), steps = poplibs_ceil_div(max_time, pieces);
    while (steps * num_classes * pop_type_size(type) % 4) /* rounds up to whole words */
        ++steps;
    for (size_t entry = 0; entry < batch_size; ++entry)
        for (size_t at = 0; at < max_time; at += steps)
            pop_graph_set_tile_mapping(
                graph, pop_tensor_slice(pop_tensor_at(t, entry), at, poplibs_min(at + steps, max_time), 0),
                (unsigned)(ctc_batch_part(plan, entry) * pieces + at / steps));
    return pop_tensor_dim_shuffle(t, POP_DIMS(1, 0, 2));
}

pop_tensor popnn_ctc_create_labels_input_at(pop_where where, pop_graph *graph, pop_type type, size_t batch_size,
                                            size_t max_label_length, const popnn_ctc_plan *plan, const char *name)
{
    POPLIBS_CALL(graph, log_type(type), batch_size, max_label_length, name);
    const pop_tensor none = { 0 };
    if (!call_ready(call) || !ctc_check_plan(call, plan, POPNN_CTC_LOSS, batch_size, 0, 0))
        return none;
    if (type != POP_UNSIGNED_INT) {
        call_fail(call, POP_TYPE_ERROR, "labels cannot be %s; unsigned int is needed", pop_type_name(type));
        return none;
    }
    if (max_label_length != plan->max_label_length) {
        call_fail(call, POP_POPLAR_ERROR, "labels have %zu symbols; the plan is for %u", max_label_length,
                  plan->max_label_length);
        return none;
    }
    pop_tensor t = pop_graph_add_variable(graph, type, POP_SHAPE(batch_size, max_label_length), name);
    unsigned parts = ctc_label_tiles(plan);
    for (size_t entry = 0; entry < batch_size; ++entry)
        for (unsigned part = 0; part < plan->label_splits; ++part) {
            pop_interval symbols = ctc_part(max_label_length, plan->label_splits, part);
            pop_graph_set_tile_mapping(graph, pop_tensor_slice(pop_tensor_at(t, entry), symbols.begin, symbols.end, 0),
                                       ctc_batch_part(plan, entry) * plan->time_splits * parts + part);
        }
    return t;
}
