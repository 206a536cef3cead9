/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ONNX_FUZZ_H
#define TESTS_ONNX_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* libFuzzer's entry. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
