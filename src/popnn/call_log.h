/* SPDX-License-Identifier: Apache-2.0 */
/* Text of popnn's parameter structures for logging. */
#ifndef POPNN_CALL_LOG_H
#define POPNN_CALL_LOG_H

#include "poplibs/log.h"

#include <popnn/gru.h>
#include <popnn/lstm.h>
#include <popnn/pooling.h>
#include <popnn/recurrent.h>

/* Parameters of all recurrent layers have these members. */
#define POPNN_LOG_LAYER(p, buffer, size)                                                                               \
    (size_t) snprintf(buffer, size, "%s, %zu steps, batch %zu, %zu -> %zu", pop_type_name((p)->data_type),             \
                      (p)->time_steps, (p)->batch_size, (p)->input_size, (p)->output_size)

static inline size_t log_lstm(char *buffer, size_t size, const void *params)
{
    return POPNN_LOG_LAYER((const popnn_lstm_params *)params, buffer, size);
}
static inline size_t log_gru(char *buffer, size_t size, const void *params)
{
    return POPNN_LOG_LAYER((const popnn_gru_params *)params, buffer, size);
}
static inline size_t log_rnn(char *buffer, size_t size, const void *params)
{
    return POPNN_LOG_LAYER((const popnn_rnn_params *)params, buffer, size);
}
/* "max of half 1x16x(8x8), kernel 3x3, stride 2x2" */
static inline size_t log_pool(char *buffer, size_t size, const void *params)
{
    const popnn_pool_params *p = params;
    char input[96] = "", kernel[96] = "", stride[96] = "";
    size_t at[3] = { 0 };
    for (unsigned d = 0; d < p->dims && d < POPNN_MAX_FIELD_DIMS; ++d) {
        const char *cross = d ? "x" : "";
        at[0] += (size_t)snprintf(input + at[0], at[0] < sizeof(input) ? sizeof(input) - at[0] : 0, "%s%zu", cross,
                                  p->input_field[d]);
        at[1] += (size_t)snprintf(kernel + at[1], at[1] < sizeof(kernel) ? sizeof(kernel) - at[1] : 0, "%s%zu", cross,
                                  p->kernel[d]);
        at[2] += (size_t)snprintf(stride + at[2], at[2] < sizeof(stride) ? sizeof(stride) - at[2] : 0, "%s%u", cross,
                                  p->stride[d]);
    }
    const char *type = popnn_pooling_type_name(p->type);
    return (size_t)snprintf(buffer, size, "%s of %s %zux%zux(%s), kernel %s, stride %s", type ? type : "unknown",
                            pop_type_name(p->data_type), p->batch, p->channels, input, kernel, stride);
}

#endif
