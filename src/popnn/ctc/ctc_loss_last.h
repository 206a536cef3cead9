/* SPDX-License-Identifier: Apache-2.0 */
/* Template of ctc_loss_vertices.c for a combination of types: vertices without and with the label's last blank. */
#define LAST 0
#include "popnn/ctc/ctc_loss_kinds.h"
#undef LAST
#define LAST 1
#include "popnn/ctc/ctc_loss_kinds.h"
#undef LAST
