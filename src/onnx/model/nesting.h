/* SPDX-License-Identifier: Apache-2.0 */
/* The depth of messages within messages in a protobuf file, which a parser that recurses must know beforehand. */
#ifndef ONNX_MODEL_NESTING_H
#define ONNX_MODEL_NESTING_H

#include <protobuf-c/protobuf-c.h>
#include <stdbool.h>

/* Whether no message is deeper than limit.  Damage in the file counts as an end: the parser reports it. */
bool onnx_nesting_within(const ProtobufCMessageDescriptor *type, const uint8_t *data, size_t size, unsigned limit);

#endif
