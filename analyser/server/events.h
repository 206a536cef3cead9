/* SPDX-License-Identifier: Apache-2.0 */
/* Server-sent events: what is posted reaches every page that listens. */
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
/* Posts an event of a name with JSON data; takes the reference. */
void events_post(struct events *events, const char *name, json_t *data);
/* Listeners return at once from now on. */
void events_end(struct events *events);
/* Waits so long, or until events_end; whether that was. */
bool events_pause(struct events *events, unsigned milliseconds);

/* Where a new listener begins. */
uint64_t events_now(struct events *events);
/* The next event's text as it goes over the wire, malloc'ed, of the one at *position, which moves on.  After `seconds`
 * without one a comment (so that a listener that has gone is noticed); NULL at the end. */
char *events_next(struct events *events, uint64_t *position, unsigned seconds);

#endif
