/* SPDX-License-Identifier: Apache-2.0 */
/* Channels, and the events of threads. Each thread has its own stack of open events. An event's row is written when
 * it begins, so that an event that never ends is in the file too; its duration is added when it ends. */
#include "pvti/file.h"
#include "pvti/trace.h"

#include "base/vec.h"

#include <jansson.h>
#include <poplar/text.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

struct pvti_channel {
    char *name;
    _Atomic bool enabled;
    struct pvti_channel *next;
};
static struct {
    pthread_mutex_t lock;
    struct pvti_channel *first, **last;
} channels = { .lock = PTHREAD_MUTEX_INITIALIZER, .last = &channels.first };

pvti_channel *pvti_channel_create(const char *name)
{
    name = name ? name : "";
    pthread_mutex_lock(&channels.lock);
    struct pvti_channel *channel = channels.first;
    while (channel && strcmp(channel->name, name) != 0)
        channel = channel->next;
    if (!channel) {
        channel = MEM_NEW(struct pvti_channel);
        channel->name = mem_string(name);
        channel->enabled = trace_enabled(name);
        *channels.last = channel;
        channels.last = &channel->next;
    }
    pthread_mutex_unlock(&channels.lock);
    return channel;
}

const char *pvti_channel_name(const pvti_channel *channel)
{
    return channel ? channel->name : "";
}

void pvti_channel_enable(pvti_channel *channel, bool enable)
{
    if (channel)
        channel->enabled = enable;
}

bool pvti_channel_enabled(const pvti_channel *channel)
{
    return channel && channel->enabled && trace_on();
}

pvti_channel *pvti_channel_at(size_t index)
{
    pthread_mutex_lock(&channels.lock);
    struct pvti_channel *channel = channels.first;
    while (channel && index--)
        channel = channel->next;
    pthread_mutex_unlock(&channels.lock);
    return channel;
}

/* An open event. */
struct open {
    int64_t id, start, children;
    const pvti_channel *channel;
    char *label;
};
struct thread {
    unsigned trace; /* number of the file that has its row */
    int64_t id, position, events;
    VEC(struct open) open;
    char *name;
};
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Atomic int64_t threads_seen;
static _Atomic unsigned threads_of;

static void clear_open(struct thread *thread)
{
    for (size_t i = 0; i < thread->open.count; ++i)
        free(thread->open.data[i].label);
    thread->open.count = 0;
}

static void thread_free(void *user)
{
    struct thread *thread = user;
    clear_open(thread);
    vec_free(&thread->open);
    free(thread->name);
    free(thread);
}

static void make_key(void)
{
    pthread_key_create(&key, thread_free);
}

static void put_thread(const struct thread *thread)
{
    trace_put((struct trace_row){ .kind = ROW_THREAD,
                                  .numbers = { thread->id, 0, thread->position, (int64_t)syscall(SYS_gettid) },
                                  .texts = { mem_string(thread->name) } });
}

static struct thread *this_thread(void)
{
    pthread_once(&once, make_key);
    struct thread *thread = pthread_getspecific(key);
    if (!thread) {
        thread = MEM_NEW(struct thread);
        pthread_setspecific(key, thread);
    }
    unsigned number = trace_number();
    if (thread->trace != number) { /* its first event in this file */
        if (threads_of != number) {
            threads_of = number;
            threads_seen = 0;
        }
        clear_open(thread);
        thread->trace = number;
        thread->id = trace_id();
        thread->position = threads_seen++;
        thread->events = 0;
        put_thread(thread);
    }
    return thread;
}

/* The metadata of an event as JSON: JSON is kept, other text becomes a JSON string, so that readers can parse it;
 * NULL for none. Bytes that are not UTF-8 become question marks. */
static char *metadata_json(const char *text)
{
    if (!text || !*text)
        return NULL;
    void *begun = pop_text_begin();
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    pop_text_end(begun);
    if (value) {
        json_decref(value);
        return mem_string(text);
    }
    char *plain = mem_string(text);
    value = json_string(plain);
    for (char *c = plain; !value && *c; ++c)
        *c = (unsigned char)*c < 0x80 ? *c : '?';
    value = value ? value : json_string(plain);
    char *dumped = json_dumps(value, JSON_ENCODE_ANY), *quoted = dumped ? mem_string(dumped) : NULL;
    free(dumped);
    json_decref(value);
    free(plain);
    return quoted;
}

/* Writes the row of a new event and returns its id. */
static int64_t put_event(struct thread *thread, const pvti_channel *channel, const char *label, const char *metadata,
                         int64_t start)
{
    struct open *parent = thread->open.count ? &thread->open.data[thread->open.count - 1] : NULL;
    int64_t id = trace_id(), position = parent ? parent->children++ : thread->events++;
    trace_put((struct trace_row){ .kind = ROW_EVENT,
                                  .numbers = { id, parent ? parent->id : thread->id, position, start, 0 },
                                  .texts = { mem_string(label), mem_string(channel->name), metadata_json(metadata) } });
    return id;
}

void pvti_begin(pvti_channel *channel, const char *label, const char *metadata)
{
    if (!pvti_channel_enabled(channel))
        return;
    struct thread *thread = this_thread();
    int64_t start = trace_now(), id = put_event(thread, channel, label, metadata, start);
    *vec_push(&thread->open) =
        (struct open){ .id = id, .start = start, .channel = channel, .label = mem_string(label) };
}

void pvti_end(pvti_channel *channel, const char *label)
{
    if (!pvti_channel_enabled(channel))
        return;
    int64_t now = trace_now();
    struct thread *thread = this_thread();
    size_t i = thread->open.count;
    while (i && (thread->open.data[i - 1].channel != channel ||
                 strcmp(thread->open.data[i - 1].label, label ? label : "") != 0))
        --i;
    if (!i)
        return;
    struct open event = thread->open.data[i - 1];
    memmove(thread->open.data + i - 1, thread->open.data + i, (thread->open.count - i) * sizeof(event));
    --thread->open.count;
    trace_put(
        (struct trace_row){ .kind = ROW_END, .numbers = { event.id, now > event.start ? now - event.start : 0 } });
    free(event.label);
}

void pvti_event(pvti_channel *channel, const char *label, const char *metadata)
{
    if (!pvti_channel_enabled(channel))
        return;
    put_event(this_thread(), channel, label, metadata, trace_now());
}

void pvti_thread_name(const char *name)
{
    if (!trace_on())
        return;
    struct thread *thread = this_thread();
    free(thread->name);
    thread->name = mem_string(name);
    put_thread(thread);
}
