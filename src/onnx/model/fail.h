/* SPDX-License-Identifier: Apache-2.0 */
/* Error records with formatted texts. */
#ifndef ONNX_MODEL_FAIL_H
#define ONNX_MODEL_FAIL_H

#include <poplar/error.h>

/* Fills an error record, which may be NULL; returns status. */
pop_status onnx_fail(pop_error *error, pop_status status, const char *format, ...) POP_PRINTF(3, 4);

#endif
