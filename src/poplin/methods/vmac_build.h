/* SPDX-License-Identifier: Apache-2.0 */
/* Adds the vertices of plans with the method VMAC. */
#ifndef POPLIN_METHODS_VMAC_BUILD_H
#define POPLIN_METHODS_VMAC_BUILD_H

#include "poplin/convolution/conv_work.h"

void vmac_add_vertices(const struct conv_work *work, pop_compute_set compute, struct conv_parts *parts,
                       pop_tensor input, pop_tensor weights);

#endif
