/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of operands with padding. */
#ifndef POPLIN_CONVOLUTION_CONV_COPIES_H
#define POPLIN_CONVOLUTION_CONV_COPIES_H

#include "poplin/convolution/conv_work.h"

/* Copies the elements that are not padding in phase `copy`.  The padding is zeroed in place in phase `pad` or, with
 * poplibsRelease 2021 and before the convolution is divided, copied with the rest; no tile sends zeros to others. */
void conv_copy_and_pad(const struct conv_work *work, pop_tensor from, pop_tensor to, uint32_t pad, uint32_t copy);

#endif
