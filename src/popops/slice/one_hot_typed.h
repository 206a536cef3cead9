/* SPDX-License-Identifier: Apache-2.0 */
/* One-hot encoding of indices of one type: template of encoding_vertices.c. */
#define TYPES_2    ENCODED_TYPES
#define TEMPLATE_2 "popops/slice/one_hot_paired.h"
#include "poplibs/each_second_type.h"
