/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the groups of endpoints. */
#ifndef ANALYSER_API_H
#define ANALYSER_API_H

#include "../answer.h"

/* A debug context and its ancestors, innermost first: name, layer, file, function, line, json. */
json_t *contexts_json(pva_object context);

#endif
