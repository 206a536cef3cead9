/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of one type with values of every type: template of sort_vertices.c. */
#define TYPES_2    SORTED_TYPES
#define TEMPLATE_2 "popops/sort/sort_paired.h"
#include "poplibs/each_second_type.h"
