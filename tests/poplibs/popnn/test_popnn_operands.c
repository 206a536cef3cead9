/* SPDX-License-Identifier: Apache-2.0 */
/* Operands that are unmapped, or null tensors, are refused by the call that takes them, with the user's line. */
#include "poplibs/fixture.h"

#include <poplin/cholesky.h>
#include <poplin/codelets.h>
#include <poplin/convolution.h>
#include <poplin/mat_mul.h>
#include <poplin/mesh_grid.h>
#include <poplin/multi_convolution.h>
#include <poplin/norms.h>
#include <poplin/triangular_solve.h>
#include <popnn/codelets.h>
#include <popnn/gru.h>
#include <popnn/log_softmax.h>
#include <popnn/loss.h>
#include <popnn/lstm.h>
#include <popnn/norms.h>
#include <popnn/pooling.h>
#include <popnn/recurrent.h>
#include <popnn/spatial_softmax.h>
#include <popops/all_true.h>
#include <popops/cast.h>
#include <popops/circ_buf.h>
#include <popops/codelets.h>
#include <popops/dynamic_slice.h>
#include <popops/element_wise.h>
#include <popops/encoding.h>
#include <popops/expr.h>
#include <popops/fill.h>
#include <popops/gather.h>
#include <popops/ipu_collectives.h>
#include <popops/loop.h>
#include <popops/nan.h>
#include <popops/pad.h>
#include <popops/rearrange.h>
#include <popops/reduce.h>
#include <popops/scaled_add.h>
#include <popops/scatter.h>
#include <popops/select_scalar_from_rows.h>
#include <popops/sequence_slice.h>
#include <popops/sort.h>
#include <popops/top_k.h>
#include <popops/update_scalar_in_rows.h>
#include <poputil/util.h>

#include <limits.h>

enum { MAX_OPERANDS = 8 };
struct scene {
    pop_graph *graph;
    pop_program program;
    pop_tensor t[MAX_OPERANDS];
};
struct row {
    const char *call_text;
    const char *operands; /* "f{3,4}u{2}": f float, h half, i int, u unsigned int, b bool; a capital is written to;
                             "u{2}?" may be null */
    void (*call)(struct scene *s);
};

#define G     s->graph
#define P     s->program
#define A     s->t[0]
#define B     s->t[1]
#define C     s->t[2]
#define D     s->t[3]
#define E     s->t[4]
#define NAMED "x", POP_NO_OPTIONS
#define PLAN  "x", POP_NO_OPTIONS, NULL
#define SUM   ((popops_reduce_params){ .op = POPOPS_ADD })
#define FIRST POP_DIMS(0), POP_SHAPE(1)
#define TOP   ((popops_top_k_params){ 2, true, POPOPS_SORT_ASCENDING, false })

static pop_tensor second(pop_graph *graph, pop_tensor operand, pop_tensor update, pop_program sequence, void *user)
{
    (void)graph, (void)operand, (void)sequence, (void)user;
    return update;
}
static poplin_conv_params conv(void)
{
    return poplin_conv_params_make(POP_FLOAT, POP_FLOAT, 2, POP_SHAPE(5, 5), POP_SHAPE(3, 3), 4, 3, 1);
}
static poplin_multi_conv several(struct scene *s, const poplin_conv_params *params)
{
    return (poplin_multi_conv){
        .params = params, .input = A, .weights = B, .deltas = C, .scale_constant = 0.1, .name = "x"
    };
}
static popnn_pool_params pool(popnn_pooling_type type)
{
    return (popnn_pool_params){ .type = type,
                                .dims = 1,
                                .input_field = { 6 },
                                .kernel = { 2 },
                                .stride = { 2 },
                                .channels = 4,
                                .batch = 2,
                                .data_type = POP_FLOAT };
}

#define CALL(name, statements)                                                                                         \
    static void name(struct scene *s)                                                                                  \
    {                                                                                                                  \
        statements                                                                                                     \
    }
CALL(conv_forward, poplin_conv_params c = conv(); poplin_convolution(G, A, B, &c, false, P, PLAN);)
CALL(conv_into, poplin_conv_params c = conv(); poplin_convolution_with_output(G, A, B, C, &c, false, P, PLAN);)
CALL(conv_deltas, poplin_conv_params c = conv(); poplin_calculate_weight_deltas(G, A, B, &c, P, PLAN);)
CALL(conv_update, poplin_conv_params c = conv(); poplin_convolution_weight_update(G, A, B, C, &c, D, P, PLAN);)
CALL(conv_update_constant, poplin_conv_params c = conv();
     poplin_convolution_weight_update_constant(G, A, B, C, &c, 0.1, P, PLAN);)
CALL(conv_several, poplin_conv_params c = conv(); poplin_multi_conv m = several(s, &c); pop_tensor out;
     poplin_multi_convolution(G, &m, 1, false, P, PLAN, &out);)
CALL(max_pool, popnn_pool_params p = pool(POPNN_POOL_MAX); popnn_pool(G, &p, A, P, NAMED);)
CALL(max_pool_gradient, popnn_pool_params p = pool(POPNN_POOL_MAX);
     popnn_pool_input_gradient(G, &p, A, B, C, false, P, NAMED);)
CALL(sum_pool_gradient, popnn_pool_params p = pool(POPNN_POOL_SUM);
     popnn_pool_input_gradient_without_activations(G, &p, 1, A, P, NAMED);)
CALL(lstm_forward, popnn_lstm_params p = popnn_lstm_params_make(POP_FLOAT, 2, 3, 4, 5); pop_tensor kept;
     popnn_lstm_fwd(G, &p, (popnn_lstm_state){ A, B }, C, (popnn_lstm_weights){ D, E, s->t[5] }, &kept, NULL, P, PLAN);)
CALL(gru_forward, popnn_gru_params p = popnn_gru_params_make(POP_FLOAT, 2, 3, 4, 5); pop_tensor kept;
     popnn_gru_fwd(G, &p, A, B, (popnn_gru_weights){ C, D, E }, &kept, P, PLAN);)
CALL(rnn_forward, popnn_rnn_params p = popnn_rnn_params_make(POP_FLOAT, 2, 3, 4, 5);
     popnn_rnn_fwd_sequence(G, &p, P, A, (popnn_rnn_weights){ B, C, D }, E, "x", NULL);)
CALL(statistics, pop_tensor mean; pop_tensor inverse;
     poplin_norm_statistics(G, A, 1e-3, P, false, true, POP_FLOAT, NAMED, &mean, &inverse);)
CALL(parameter_gradients, pop_tensor g; pop_tensor b;
     poplin_norm_param_gradients(G, A, B, P, POP_FLOAT, NAMED, &g, &b);)
CALL(batch_norm, popnn_batch_normalise(G, A, B, C, D, E, P, NAMED, NULL);)
CALL(group_norm, popnn_group_normalise(G, A, B, C, D, E, P, NAMED, NULL);)
CALL(group_statistics, pop_tensor mean; pop_tensor inverse;
     popnn_group_norm_statistics(G, A, 1e-3, P, 2, false, true, POP_FLOAT, NAMED, &mean, &inverse);)
CALL(group_gradients, popnn_group_norm_gradients(G, A, B, C, D, P, POP_FLOAT, NAMED);)
CALL(norm_update, popnn_norm_param_update_tensor(G, A, B, C, D, E, P, NAMED);)
CALL(permutation, pop_tensor indices; popops_top_k_with_permutation(G, P, A, TOP, &indices, "x");)
CALL(keys_and_values, pop_tensor values; popops_top_k_key_value(G, P, A, B, TOP, &values, "x");)
CALL(row_top_k, pop_tensor indices; popnn_top_k(G, A, &indices, 2, true, P, "x");)
CALL(scatter_chips, pop_tensor chunks[2]; popops_reduce_scatter(G, A, POPOPS_ADD, P, NAMED, chunks);)
CALL(fields, popnn_spatial_softmax_2d(G, P, A, 1, false, "x", NULL);)
CALL(binary, popops_add(G, A, B, P, "x");)
CALL(binary_in_place, popops_add_in_place(G, A, B, P, "x");)
CALL(binary_with_output, popops_add_with_output(G, A, B, C, P, "x");)
CALL(scaled_gradients, popnn_calc_loss_scaled(G, A, B, C, D, E, s->t[5], POPNN_CROSS_ENTROPY_LOSS, "x");)
CALL(ring, popops_circ_buf r = popops_circ_buf_create(G, POP_FLOAT, 3, POP_SHAPE(4), "x");
     popops_circ_buf_add(G, &r, A, P, "x");)
#undef CALL

#define ROWS(ROW)                                                                                                      \
    ROW(popops_exp, "f{3,4}", popops_exp(G, A, P, "x"))                                                                \
    ROW(popops_scaled_add_to, "F{3,4}f{3,4}f{}!", popops_scaled_add_to(G, A, B, C, P, NAMED))                          \
    ROW(popops_scaled_add_to_constant, "F{3,4}f{3,4}", popops_scaled_add_to_constant(G, A, B, 0.5, P, NAMED))          \
    ROW(popops_scaled_subtract_from, "F{3,4}f{3,4}f{}!", popops_scaled_subtract_from(G, A, B, C, P, NAMED))            \
    ROW(popops_scaled_add_both, "F{3,4}f{}!f{3,4}f{}!",                                                                \
        popops_scaled_add_both(G, A, B, C, D, P, POPOPS_SCALED_ADD_DEFAULT, NAMED))                                    \
    ROW(popops_cast, "f{3,4}", popops_cast(G, A, POP_HALF, P, "x"))                                                    \
    ROW(popops_cast_with_output, "f{3,4}H{3,4}", popops_cast_with_output(G, A, B, P, "x"))                             \
    ROW(popops_fill, "F{3,4}", popops_fill(G, A, P, 1, "x"))                                                           \
    ROW(popops_zero, "F{3,4}", popops_zero(G, A, P, "x"))                                                              \
    ROW(popops_all_true, "b{5}", popops_all_true(G, A, P, "x"))                                                        \
    ROW(popops_has_nan, "f{5}", popops_has_nan(G, A, P, "x"))                                                          \
    ROW(popops_map, "f{3}f{3}", popops_map(G, "_1 * _2 + 1", POP_TENSORS(A, B), P, NAMED))                             \
    ROW(popops_map_in_place, "F{3}f{3}", popops_map_in_place(G, "_1 * _2 + 1", POP_TENSORS(A, B), P, NAMED))           \
    ROW(popops_reduce, "f{3,4}", popops_reduce(G, A, POP_FLOAT, POP_DIMS(1), SUM, P, NAMED))                           \
    ROW(popops_reduce_with_output, "f{3,4}F{3}", popops_reduce_with_output(G, A, B, POP_DIMS(1), SUM, P, NAMED))       \
    ROW(popops_dynamic_slice, "f{6,4}u{1}", popops_dynamic_slice(G, A, B, FIRST, P, "x"))                              \
    ROW(popops_dynamic_slice_with_output, "F{1,4}f{6,4}u{1}",                                                          \
        popops_dynamic_slice_with_output(G, A, B, C, FIRST, P, "x"))                                                   \
    ROW(popops_dynamic_update, "F{6,4}f{1,4}u{1}", popops_dynamic_update(G, A, B, C, FIRST, P, "x"))                   \
    ROW(popops_multi_slice, "f{6,4}u{3,1}", popops_multi_slice(G, A, B, FIRST, P, NULL, NAMED))                        \
    ROW(popops_multi_update, "F{6,4}f{3,1,4}u{3,1}", popops_multi_update(G, A, B, C, FIRST, P, NULL, NAMED))           \
    ROW(popops_multi_update_add, "F{6,4}f{3,1,4}u{3,1}f{}!",                                                           \
        popops_multi_update_add(G, A, B, C, D, FIRST, P, NULL, NAMED))                                                 \
    ROW(popops_multi_update_max, "F{6,4}f{3,1,4}u{3,1}", popops_multi_update_max(G, A, B, C, FIRST, P, NULL, NAMED))   \
    ROW(popops_grouped_multi_slice, "f{2,6,4}u{2,3,1}", popops_grouped_multi_slice(G, A, B, FIRST, P, NULL, NAMED))    \
    ROW(popops_gather_axis, "f{6,4}u{3}", popops_gather_axis(G, A, B, 0, P, (popops_gather_params){ 0 }, NAMED))       \
    ROW(popops_gather, "f{6,4}u{3,1}",                                                                                 \
        popops_gather(G, A, B, 1, POP_DIMS(0), POP_SHAPE(1, 4), POP_DIMS(0), POP_DIMS(0), P, "x", POP_NO_OPTIONS))     \
    ROW(popops_scatter, "F{6,4}u{3,1}f{3,4}",                                                                          \
        popops_scatter(G, A, B, C, 1, POP_DIMS(1), POP_DIMS(0), POP_DIMS(0), P, "x", POP_NO_OPTIONS))                  \
    ROW(popops_scatter_with, "F{6,4}u{3,1}f{3,4}",                                                                     \
        popops_scatter_with(G, A, B, C, 1, POP_DIMS(1), POP_DIMS(0), POP_DIMS(0), second, NULL, P, "x",                \
                            POP_NO_OPTIONS))                                                                           \
    ROW(popops_sequence_slice, "f{6,4}F{6,4}u{2}u{2}u{2}", popops_sequence_slice(G, A, B, C, D, E, true, P, "x"))      \
    ROW(popops_select_scalar_from_rows, "f{3,4}u{3}", popops_select_scalar_from_rows(G, A, B, P, "x"))                 \
    ROW(popops_update_scalar_in_rows, "F{3,4}u{3}", popops_update_scalar_in_rows(G, A, B, P, "x"))                     \
    ROW(popops_sort, "f{3,4}", popops_sort(G, A, 1, P, "x"))                                                           \
    ROW(popops_sort_in_place, "F{3,4}", popops_sort_in_place(G, A, 1, P, "x"))                                         \
    ROW(popops_sort_key_value, "f{3,4}f{3,4}", popops_sort_key_value(G, A, B, 1, P, "x"))                              \
    ROW(popops_top_k, "f{3,4}", popops_top_k(G, P, A, TOP, "x"))                                                       \
    ROW(popops_encode_one_hot, "u{3}F{3,4}", popops_encode_one_hot(G, A, B, P, "x"))                                   \
    ROW(popops_encode_one_hot_values, "u{3}F{3,4}f{}f{}", popops_encode_one_hot_values(G, A, B, P, C, D, "x"))         \
    ROW(popops_iota, "U{3,4}", popops_iota(G, A, 0, P, "x"))                                                           \
    ROW(popops_partial_transpose, "f{3,4}", popops_partial_transpose(G, A, pop_graph_add_compute_set(G, "x"), "x"))    \
    ROW(popops_all_reduce, "f{2,4}", popops_all_reduce(G, A, POPOPS_ADD, P, NAMED))                                    \
    ROW(popops_all_gather, "f{4}f{4}", popops_all_gather(G, POP_TENSORS(A, B), P, NAMED))                              \
    ROW(popops_counted_for_loop, "U{}?u{}", popops_counted_for_loop(G, A, 0, B, 1, pop_sequence(G, "x"), "x"))         \
    ROW(poplin_mat_mul, "f{3,4}f{4,5}", poplin_mat_mul(G, A, B, P, PLAN))                                              \
    ROW(poplin_mat_mul_grouped, "f{2,3,4}f{2,4,5}", poplin_mat_mul_grouped(G, A, B, P, POP_FLOAT, PLAN))               \
    ROW(poplin_mat_mul_with_output, "f{3,4}f{4,5}F{3,5}", poplin_mat_mul_with_output(G, A, B, C, P, PLAN))             \
    ROW(poplin_mat_mul_acc, "F{3,5}f{3,4}f{4,5}", poplin_mat_mul_acc(G, A, 0.5f, B, C, P, PLAN))                       \
    ROW(poplin_mat_mul_acc_tensor, "F{3,5}f{}!f{3,4}f{4,5}", poplin_mat_mul_acc_tensor(G, A, B, C, D, P, PLAN))        \
    ROW(poplin_pre_arrange_mat_mul_input_rhs, "f{4,5}",                                                                \
        poplin_pre_arrange_mat_mul_input_rhs(G, POP_SHAPE(3, 4), A, P, POP_FLOAT, PLAN))                               \
    ROW(poplin_add_bias, "F{2,3,5}f{3}", poplin_add_bias(G, A, B, P, NAMED))                                           \
    ROW(poplin_convolution_bias_update, "f{2,3,5}F{3}f{}!", poplin_convolution_bias_update(G, A, B, C, P, NAMED))      \
    ROW(poplin_weights_transpose_chans_flip_xy, "f{1,3,4,3}F{1,4,3,3}",                                                \
        poplin_weights_transpose_chans_flip_xy(G, A, B, P, "x"))                                                       \
    ROW(poplin_norm_whiten, "f{2,4,6}f{4}f{4}", poplin_norm_whiten(G, A, B, C, P, NAMED))                              \
    ROW(poplin_normalise, "f{2,4,6}f{4}f{4}", poplin_normalise(G, A, B, C, P, NAMED))                                  \
    ROW(poplin_norm_gradients, "f{2,4,6}f{4}", poplin_norm_gradients(G, A, B, P, NAMED))                               \
    ROW(poplin_norm_statistics_gradients, "f{2,4,6}f{2,4,6}f{4}",                                                      \
        poplin_norm_statistics_gradients(G, A, B, C, P, POP_FLOAT, NAMED))                                             \
    ROW(poplin_cholesky, "f{4,4}", poplin_cholesky(G, A, true, P, PLAN))                                               \
    ROW(poplin_triangular_solve, "f{4,4}f{4,2}", poplin_triangular_solve(G, A, B, true, true, false, 2, P, PLAN))      \
    ROW(poplin_triangular_mask, "f{4,4}", poplin_triangular_mask(G, A, true, false, P, "x"))                           \
    ROW(popnn_non_linearity, "f{3,4}", popnn_non_linearity(G, POPNN_RELU, A, P, "x"))                                  \
    ROW(popnn_non_linearity_in_place, "F{3,4}", popnn_non_linearity_in_place(G, POPNN_TANH, A, P, "x"))                \
    ROW(popnn_non_linearity_input_gradient, "f{3,4}f{3,4}",                                                            \
        popnn_non_linearity_input_gradient(G, POPNN_TANH, A, B, P, "x"))                                               \
    ROW(popnn_log_softmax, "f{3,4}", popnn_log_softmax(G, A, P, "x"))                                                  \
    ROW(popnn_calc_loss, "f{3,4}u{3}F{3}F{3,4}", popnn_calc_loss(G, A, B, C, D, POPNN_SUM_SQUARED_LOSS, "x"))          \
    ROW(popnn_calc_loss_and_accuracy, "f{3,4}u{3}F{3}F{3,4}U{}",                                                       \
        popnn_calc_loss_and_accuracy(G, A, B, C, D, E, POPNN_CROSS_ENTROPY_LOSS, "x"))                                 \
    ROW(popnn_calc_accuracy, "f{3,4}u{3}U{}", popnn_calc_accuracy(G, A, B, C, "x"))                                    \
    ROW(popnn_arg_max, "f{3,4}", popnn_arg_max(G, A, P, "x"))                                                          \
    ROW(popnn_max_and_arg_max, "f{3,4}", popnn_max_and_arg_max(G, A, P, "x"))
#define ENTRY(api, operands, ...) { #api, operands, api##_row },
#define CALL(api, operands, ...)                                                                                       \
    static void api##_row(struct scene *s)                                                                             \
    {                                                                                                                  \
        __VA_ARGS__;                                                                                                   \
    }
ROWS(CALL)

static const struct row rows[] = {
    ROWS(ENTRY){ "popops_add", "f{3,4}f{3,4}", binary },
    { "popops_add_in_place", "F{3,4}f{3,4}", binary_in_place },
    { "popops_add_with_output", "f{3,4}f{3,4}F{3,4}", binary_with_output },
    { "popops_top_k_with_permutation", "f{3,4}", permutation },
    { "popops_top_k_key_value", "f{3,4}f{3,4}", keys_and_values },
    { "popops_reduce_scatter", "f{2,4}", scatter_chips },
    { "popops_circ_buf_add", "f{4}", ring },
    { "poplin_convolution", "f{2,4,5,5}f{1,3,4,3,3}", conv_forward },
    { "poplin_convolution_with_output", "f{2,4,5,5}f{1,3,4,3,3}F{2,3,3,3}", conv_into },
    { "poplin_calculate_weight_deltas", "f{2,3,3,3}f{2,4,5,5}", conv_deltas },
    { "poplin_convolution_weight_update", "f{2,3,3,3}F{1,3,4,3,3}f{2,4,5,5}f{}!", conv_update },
    { "poplin_convolution_weight_update", "f{2,3,3,3}F{1,3,4,3,3}f{2,4,5,5}", conv_update_constant },
    { "poplin_multi_convolution", "f{2,4,5,5}f{1,3,4,3,3}", conv_several },
    { "poplin_norm_statistics", "f{2,4,6}", statistics },
    { "poplin_norm_param_gradients", "f{2,4,6}f{2,4,6}", parameter_gradients },
    { "popnn_pool", "f{2,4,6}", max_pool },
    { "popnn_pool_input_gradient", "f{2,4,6}f{2,4,3}f{2,4,3}", max_pool_gradient },
    { "popnn_pool_input_gradient", "f{2,4,3}", sum_pool_gradient },
    { "popnn_lstm_fwd", "f{2,5}f{2,5}f{3,2,4}f{4,4,5}f{4,5,5}f{4,5}", lstm_forward },
    { "popnn_gru_fwd", "f{2,5}f{3,2,4}f{3,4,5}f{3,5,5}f{3,5}", gru_forward },
    { "popnn_rnn_fwd_sequence", "f{2,5}f{4,5}f{5,5}f{5}f{3,2,4}", rnn_forward },
    { "popnn_batch_normalise", "f{2,4,6}f{4}f{4}f{4}f{4}", batch_norm },
    { "popnn_group_normalise", "f{2,4,6}f{4}f{4}f{4}f{4}", group_norm },
    { "popnn_group_norm_statistics", "f{2,4,6}", group_statistics },
    { "popnn_group_norm_gradients", "f{2,4,6}f{2,4,6}f{4}f{4}", group_gradients },
    { "popnn_norm_param_update_tensor", "f{4}f{4}f{}!F{4}F{4}", norm_update },
    { "popnn_top_k", "f{3,4}", row_top_k },
    { "popnn_calc_loss_scaled", "f{3,4}u{3}F{3}F{3,4}f{}?!f{}?!", scaled_gradients },
    { "popnn_spatial_softmax_2d", "f{2,3,4}", fields },
};

enum lack { LACKS_NOTHING, LACKS_MAPPING, LACKS_MAPPING_OF_CONSTANT, LACKS_TENSOR, LACKS_ROOM };

static pop_type type_of(char letter)
{
    switch (letter | 0x20) {
    case 'f':
        return POP_FLOAT;
    case 'h':
        return POP_HALF;
    case 'i':
        return POP_INT;
    case 'b':
        return POP_BOOL;
    default:
        return POP_UNSIGNED_INT;
    }
}
/* The next operand of the text, invalid as given by lack. */
static pop_tensor operand(pop_graph *graph, const char **text, enum lack lack)
{
    size_t dims[5], rank = 0, elements = 1;
    pop_type type = type_of(**text);
    char *at = (char *)*text + 2;
    while (*at != '}') {
        dims[rank] = strtoul(at, &at, 10);
        elements *= dims[rank++];
        at += *at == ',';
    }
    *text = at + 1 + strspn(at + 1, "?!");
    if (lack == LACKS_TENSOR)
        return (pop_tensor){ 0 };
    if (lack == LACKS_ROOM && rank)
        dims[0] = (size_t)1 << 32;
    float zeros[512] = { 0 };
    assert_true(elements <= 512);
    pop_tensor t =
        lack == LACKS_MAPPING_OF_CONSTANT
            ? pop_graph_add_constant(graph, type, (pop_shape){ rank, dims },
                                     type == POP_HALF || type == POP_FLOAT ? POP_FLOAT : type, zeros, "constant")
            : pop_graph_add_variable(graph, type, (pop_shape){ rank, dims }, "variable");
    if (lack == LACKS_NOTHING || lack == LACKS_ROOM)
        pop_graph_set_tile_mapping(graph, t, 1);
    return t;
}

/* Whether an operand may be invalid in this way: a constant is never written, some ('?') may be null, scales ('!') need
 * no tile. */
static bool may_lack(const char *operand, enum lack lack)
{
    const char *end = strchr(operand, '}');
    if (strspn(end + 1, "?!") && end[strspn(end + 1, "?!")] == '!' &&
        (lack == LACKS_MAPPING || lack == LACKS_MAPPING_OF_CONSTANT))
        return true;
    return (lack == LACKS_MAPPING_OF_CONSTANT && *operand < 'a') || (lack == LACKS_TENSOR && end[1] == '?') ||
           (lack == LACKS_ROOM && end[-1] == '{');
}

/* Calls a row with an invalid operand `at`; returns whether there is such an operand. */
static bool call_row(const struct row *row, pop_graph *graph, size_t at, enum lack lack)
{
    struct scene scene = { .graph = graph, .program = pop_sequence(graph, "x") };
    const char *text = row->operands;
    size_t count = 0;
    for (; *text; ++count) {
        if (count == at && may_lack(text, lack))
            return false;
        scene.t[count] = operand(graph, &text, count == at ? lack : LACKS_NOTHING);
    }
    if (lack != LACKS_NOTHING && at >= count)
        return false;
    assert_built(graph);
    row->call(&scene);
    return true;
}

/* The error is that of the library call, with the line in this file. */
static void check_row(const struct row *row, pop_graph *graph, size_t at, enum lack lack)
{
    pop_error error;
    if (!call_row(row, graph, at, lack))
        return;
    if (!pop_graph_take_error(graph, &error))
        fail_msg("%s of %s: operand %zu: no error", row->call_text, row->operands, at + 1);
    if (!strstr(error.where.file, "test_popnn_operands") || strncmp(error.api, "pop_", 4) == 0)
        fail_msg("%s: %s in %s:%d", row->call_text, error.api, error.where.file, error.where.line);
    bool unmapped = lack == LACKS_MAPPING || lack == LACKS_MAPPING_OF_CONSTANT;
    if (unmapped && (error.status != POP_INVALID_TILE_MAPPING || !strstr(error.text, "is not mapped completely")))
        fail_msg("%s: operand %zu: %s", row->call_text, at + 1, error.text);
}

static void test_each_operand_of_each_call_must_be_mapped(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(2, 4);
    popnn_add_codelets(graph);
    poplin_add_codelets(graph);
    popops_add_codelets(graph);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
        call_row(&rows[i], graph, SIZE_MAX, LACKS_NOTHING);
        assert_built(graph);
        for (size_t at = 0; at < MAX_OPERANDS; ++at)
            for (enum lack lack = LACKS_MAPPING; lack <= LACKS_ROOM; ++lack)
                check_row(&rows[i], graph, at, lack);
    }
    pop_graph_destroy(graph);
}

/* Rows larger than all memory are an error before vertices are added for each of them, on a CPU too. */
static void test_impossible_sizes_are_refused_at_once(void **state)
{
    (void)state;
    pop_target cpu = pop_target_create_cpu(true, 1);
    pop_graph *graphs[] = { graph_of(1, 4), pop_graph_create(&cpu) };
    for (size_t i = 0; i < 2; ++i) {
        pop_graph *graph = graphs[i];
        pop_program program = pop_sequence(graph, "x");
        pop_tensor many =
            pop_graph_add_variable_mapped(graph, POP_FLOAT, POP_SHAPE((size_t)1 << 36, 3), POP_MAPPING_LINEAR, "many");
        popops_sort(graph, many, 1, program, "x");
        assert_error(graph, POP_GRAPH_MEMORY_ALLOCATION_ERROR, "popops_sort",
                     "the tensor takes 8.246e+11 bytes; the target's memory has");
        poputil_clone_n(graph, pop_tensor_slice(many, 0, 1, 0), UINT_MAX, POP_CLONE_CREATE_NEW_ORDER, "x");
        assert_error(graph, POP_GRAPH_MEMORY_ALLOCATION_ERROR, "poputil_clone_n", "5.154e+10 bytes");
        pop_graph_destroy(graph);
    }
}

static void test_results_need_a_place(void **state)
{
    (void)state;
    pop_graph *graph = graph_of(1, 4);
    pop_program program = pop_sequence(graph, "x");
    pop_tensor acts = pop_graph_add_variable(graph, POP_FLOAT, POP_SHAPE(2, 3), "acts"), out;
    poplin_norm_statistics(graph, acts, 0, program, false, false, POP_FLOAT, NAMED, &out, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_norm_statistics", "NULL");
    poplin_norm_param_gradients(graph, acts, acts, program, POP_FLOAT, NAMED, NULL, &out);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_norm_param_gradients", "NULL");
    poplin_create_norm_params(graph, acts, "x", NULL, NULL);
    assert_error(graph, POP_POPLAR_ERROR, "poplin_create_norm_params", "NULL");
    pop_graph_destroy(graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_operand_of_each_call_must_be_mapped),
        cmocka_unit_test(test_impossible_sizes_are_refused_at_once),
        cmocka_unit_test(test_results_need_a_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
