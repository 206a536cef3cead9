/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ReduceAdd<T,...>: template of conv_reduce_vertices.c. */
#define TYPES_2    POPLIBS_FLOATING
#define TEMPLATE_2 "poplin/conv_vertices/reduce_add_paired.h"
#include "poplibs/each_second_type.h"
