/* SPDX-License-Identifier: Apache-2.0 */
/* A target as one line of text, of any length (pop_target_to_text). */
#ifndef TARGET_TEXT_H
#define TARGET_TEXT_H

#include "base/str.h"

#include <poplar/target.h>

void target_add_text(const pop_target *target, struct str *text);

#endif
