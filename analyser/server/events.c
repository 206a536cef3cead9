/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"
#include "base/str.h"
#include "base/vec.h"

#include <time.h>

/* A listener that falls behind by more events than this misses the oldest. */
enum { KEPT_EVENTS = 256 };

struct events {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    uint64_t posted;
    bool ending;
    char *ring[KEPT_EVENTS];
};

struct events *events_new(void)
{
    struct events *events = MEM_NEW(struct events);
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&events->lock, NULL);
    pthread_cond_init(&events->changed, &clock);
    pthread_condattr_destroy(&clock);
    return events;
}

void events_free(struct events *events)
{
    if (!events)
        return;
    for (size_t i = 0; i < KEPT_EVENTS; ++i)
        free(events->ring[i]);
    pthread_cond_destroy(&events->changed);
    pthread_mutex_destroy(&events->lock);
    free(events);
}

void events_post(struct events *events, const char *name, json_t *data)
{
    char *json = json_dumps(data, JSON_COMPACT | JSON_ENCODE_ANY);
    struct str text = { 0 };
    pthread_mutex_lock(&events->lock);
    str_format(&text, "id: %llu\nevent: %s\ndata: %s\n\n", (unsigned long long)events->posted, name,
               json ? json : "null");
    char **slot = &events->ring[events->posted++ % KEPT_EVENTS];
    free(*slot);
    *slot = text.text;
    pthread_cond_broadcast(&events->changed);
    pthread_mutex_unlock(&events->lock);
    free(json);
    json_decref(data);
}

void events_end(struct events *events)
{
    pthread_mutex_lock(&events->lock);
    events->ending = true;
    pthread_cond_broadcast(&events->changed);
    pthread_mutex_unlock(&events->lock);
}

bool events_pause(struct events *events, unsigned milliseconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)milliseconds * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&events->lock);
    while (!events->ending && pthread_cond_timedwait(&events->changed, &events->lock, &until) == 0)
        continue;
    bool ending = events->ending;
    pthread_mutex_unlock(&events->lock);
    return ending;
}

uint64_t events_now(struct events *events)
{
    pthread_mutex_lock(&events->lock);
    uint64_t posted = events->posted;
    pthread_mutex_unlock(&events->lock);
    return posted;
}

char *events_next(struct events *events, uint64_t *position, unsigned seconds)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    char *text = NULL;
    pthread_mutex_lock(&events->lock);
    while (!events->ending && *position == events->posted)
        if (pthread_cond_timedwait(&events->changed, &events->lock, &until) != 0)
            break;
    if (events->posted > KEPT_EVENTS && *position < events->posted - KEPT_EVENTS)
        *position = events->posted - KEPT_EVENTS;
    if (!events->ending)
        text = mem_string(*position < events->posted ? events->ring[(*position)++ % KEPT_EVENTS] : ": still here\n\n");
    pthread_mutex_unlock(&events->lock);
    return text;
}
