/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of ONNX files on any bytes: it may report an error and must have no other effect.  libFuzzer's entry
 * (scripts/fuzz-readers), and what damage.c calls. */
#include "fuzz.h"

#include <string.h>
#include <tremula/onnx.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pop_error error = { 0 };
    tremula_onnx_model *model = tremula_onnx_read(data, size, NULL, &error);
    tremula_onnx_use uses[16];
    if (model) {
        tremula_onnx_count_operators(model, uses, 16);
        for (size_t i = 0; tremula_onnx_input(model, i); ++i)
            tremula_onnx_set_dimension(model, "batch", 2, &error);
    }
    tremula_onnx_destroy(model);
    return 0;
}
