/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of a program that the host computes while it runs. */
#ifndef ONNX_BUILD_HOST_H
#define ONNX_BUILD_HOST_H

#include "onnx/build/builder.h"

/* The node's program calls a function of the host; user stays valid until the model is built again.  The tensors are
 * those of the function, flattened.  Whoever runs the program connects it (tremula_onnx_connect). */
bool onnx_call_host(onnx_builder *b, pop_host_callback function, void *user, pop_tensors inputs, pop_tensors outputs);

#endif
