/* SPDX-License-Identifier: Apache-2.0 */
/* For ctc_loss_vertices.c, which includes this for each combination of types: vertices without and with the label's
 * last blank. */
#define LAST 0
#include "popnn/ctc_loss_kinds.h"
#undef LAST
#define LAST 1
#include "popnn/ctc_loss_kinds.h"
#undef LAST
