/* SPDX-License-Identifier: Apache-2.0 */
/* Names of values in nested scopes: an inner graph sees the names of those around it. */
#ifndef ONNX_MODEL_NAMES_H
#define ONNX_MODEL_NAMES_H

#include "onnx/model/arena.h"

#include <stdbool.h>
#include <stdint.h>
#include <tremula/onnx.h>

typedef struct onnx_names {
    const struct onnx_names *outer; /* NULL: the main graph's */
    onnx_arena *arena;
    struct onnx_name_entry *entries;
    size_t count, capacity;
} onnx_names;

/* Adds a name; false when this scope has it. */
bool onnx_names_add(onnx_names *names, const char *name, uint32_t value);
/* The value of a name in this scope or an outer one; 0 when there is none. */
uint32_t onnx_names_find(const onnx_names *names, const char *name);

/* Whether a name is that of an input's dimension: of its parameter ("batch"), or "input:dim". */
bool onnx_is_dimension(const tremula_onnx_value *info, size_t dim, const char *name);

#endif
