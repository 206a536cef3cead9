/* SPDX-License-Identifier: Apache-2.0 */
/* LSTM and GRU over a sequence: forward only, or with "--phase all" in all passes. */
#include "rows.h"

#include <popnn/gru.h>
#include <popnn/lstm.h>
#include <poputil/tile_mapping.h>

#include <string.h>

static bool all_passes(const struct row *row)
{
    return strcmp(row_word(row, "phase", "fwd"), "all") == 0;
}

static pop_tensor spread(pop_graph *graph, pop_tensor like, const char *name)
{
    return pop_graph_clone(graph, POP_TYPE_NULL, like, POP_CLONE_PRESERVE_ORDER_UNLESS_ALIASES, name);
}

void build_lstm(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    bool all = all_passes(row);
    pop_options options = POP_OPTIONS({ "inferenceOnly", all ? "false" : "true" });
    popnn_lstm_params params = popnn_lstm_params_make(
        row_type(row, POP_HALF), row_number(row, "batch-size", 1), row_number(row, "sequence-size", 1),
        row_number(row, "input-size", 1), row_number(row, "output-size", 1));
    if (strstr(row->parameters, "{input,output,forget,cell}")) {
        static const popnn_lstm_unit order[] = { POPNN_LSTM_INPUT_GATE, POPNN_LSTM_OUTPUT_GATE, POPNN_LSTM_FORGET_GATE,
                                                 POPNN_LSTM_CANDIDATE };
        memcpy(params.cell_order, order, sizeof(order));
    }
    poplin_planning_cache *cache = poplin_planning_cache_create();
    popnn_lstm_weights weights = popnn_lstm_create_weights(graph, &params, "weights", options, cache), gradients;
    popnn_lstm_state state = popnn_lstm_create_initial_state(graph, &params, "state", options, cache);
    pop_tensor in = popnn_lstm_create_input(graph, &params, "in", options, cache), kept, dx;
    popnn_lstm_zero_initial_state(graph, state, program, "state");
    pop_tensor out =
        popnn_lstm_fwd(graph, &params, state, in, weights, all ? &kept : NULL, NULL, program, "fwd", options, cache);
    if (all) {
        popnn_lstm_forward forward = { state, kept, in, out, weights };
        popnn_lstm_bwd_with_wu(graph, &params, pass_begin(passes, "bwd"), &forward, spread(graph, out, "gradient"),
                               NULL, &dx, &gradients, "bwd", options, cache);
    }
    poplin_planning_cache_destroy(cache);
}

void build_gru(pop_graph *graph, struct passes *passes, const struct row *row)
{
    pop_program program = pass_begin(passes, "fwd");
    bool all = all_passes(row);
    pop_options options = POP_OPTIONS({ "inferenceOnly", all ? "false" : "true" });
    popnn_gru_params params = popnn_gru_params_make(
        row_type(row, POP_HALF), row_number(row, "batch-size", 1), row_number(row, "sequence-size", 1),
        row_number(row, "input-size", 1), row_number(row, "output-size", 1));
    if (strstr(row->parameters, "{update,cell,reset}")) {
        static const popnn_gru_unit order[] = { POPNN_GRU_UPDATE_GATE, POPNN_GRU_CANDIDATE, POPNN_GRU_RESET_GATE };
        memcpy(params.cell_order, order, sizeof(order));
    }
    poplin_planning_cache *cache = poplin_planning_cache_create();
    popnn_gru_weights weights = popnn_gru_create_weights(graph, &params, "weights", options, cache), gradients;
    pop_tensor state = popnn_gru_create_initial_state(graph, &params, "state", options, cache);
    pop_tensor in = popnn_gru_create_input(graph, &params, "in", options, cache), kept, dx;
    pop_tensor out =
        popnn_gru_fwd(graph, &params, state, in, weights, all ? &kept : NULL, program, "fwd", options, cache);
    if (all) {
        popnn_gru_forward forward = { state, kept, in, out, weights };
        popnn_gru_bwd_with_wu(graph, &params, pass_begin(passes, "bwd"), &forward, spread(graph, out, "gradient"), &dx,
                              &gradients, "bwd", options, cache);
    }
    poplin_planning_cache_destroy(cache);
}
