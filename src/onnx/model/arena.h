/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that is freed all at once. */
#ifndef ONNX_MODEL_ARENA_H
#define ONNX_MODEL_ARENA_H

#include <stdarg.h>
#include <stddef.h>

typedef struct onnx_arena {
    struct onnx_arena_block *blocks;
} onnx_arena;

/* Zeroed memory for count objects.  Never NULL: poplar/memory.h has a reserve. */
void *onnx_new(onnx_arena *arena, size_t count, size_t size);
/* A copy of count objects. */
void *onnx_keep(onnx_arena *arena, const void *data, size_t count, size_t size);
/* A copy of a text; "" for NULL. */
char *onnx_keep_text(onnx_arena *arena, const char *text);
void onnx_arena_free(onnx_arena *arena);

#endif
