/* SPDX-License-Identifier: Apache-2.0 */
/* What groups of endpoints share. */
#ifndef ANALYSER_API_H
#define ANALYSER_API_H

#include "../answer.h"

/* A debug context and its parents, the innermost first: name, layer, file, function, line, json. */
json_t *contexts_json(pva_object context);

#endif
