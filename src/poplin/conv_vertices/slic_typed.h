/* SPDX-License-Identifier: Apache-2.0 */
/* poplin::ConvPartial1x4SLIC<half,T,...>: template of conv_slic_vertices.c. */
#define GROUPS 1
#include "poplin/conv_vertices/slic_groups.h"
#undef GROUPS
#define GROUPS 2
#include "poplin/conv_vertices/slic_groups.h"
#undef GROUPS
#define GROUPS 4
#include "poplin/conv_vertices/slic_groups.h"
#undef GROUPS
