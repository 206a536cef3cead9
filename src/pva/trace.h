/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and events of a trace, for bindings.c. */
#ifndef PVA_TRACE_H
#define PVA_TRACE_H

#include "pva/model.h"

uint64_t thread_count(pva_object);
pva_object thread_at(pva_object, uint64_t);
uint64_t event_count(pva_object);
pva_object event_at(pva_object, uint64_t);
void event_time(pva_object, struct value *);
void event_duration(pva_object, struct value *);

#endif
