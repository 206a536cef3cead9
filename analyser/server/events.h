/* SPDX-License-Identifier: Apache-2.0 */
/* Server-sent events: each posted event reaches every page that listens. */
#ifndef ANALYSER_EVENTS_H
#define ANALYSER_EVENTS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct events;
struct events *events_new(void);
void events_free(struct events *events);
/* Posts a named event with JSON data; steals the reference. */
void events_post(struct events *events, const char *name, json_t *data);
/* Makes all current and later waits of listeners return at once. */
void events_end(struct events *events);
/* Waits for a time or until events_end; returns whether events_end was called. */
bool events_pause(struct events *events, unsigned milliseconds);

/* The start position for a new listener. */
uint64_t events_now(struct events *events);
/* The wire text, malloc'ed, of the event at *position, which advances. After `seconds` without an event returns a
 * comment, so that a broken connection is noticed; NULL at the end. */
char *events_next(struct events *events, uint64_t *position, unsigned seconds);

#endif
