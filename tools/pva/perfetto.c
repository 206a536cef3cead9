/* SPDX-License-Identifier: Apache-2.0 */
/* Perfetto's trace format: protobuf messages of perfetto.protos.Trace (perfetto.dev, "TrackEvent"). Fields in use:
 *
 *   Trace                     packet 1
 *   TracePacket               timestamp 8, trusted_packet_sequence_id 10, track_event 11, track_descriptor 60
 *   TrackDescriptor           uuid 1, name 2, parent_uuid 5, counter 8
 *   TrackEvent                debug_annotations 4, type 9 (1 begin, 2 end, 4 counter), track_uuid 11, categories 22,
 *                             name 23, counter_value 30
 *   DebugAnnotation           uint_value 3, name 10
 *   CounterDescriptor         unit_name 6
 *
 * Times are nanoseconds. */
#include "trace.h"

#include <string.h>

struct message {
    unsigned char bytes[4096];
    size_t size;
};
enum { COUNTER_UUID = 1, LANES_UUID = 1000, SEQUENCE = 1 };
static double nanoseconds; /* duration of a cycle */

static void put_number(struct message *m, uint64_t number)
{
    do {
        unsigned char byte = number & 127;
        number >>= 7;
        if (m->size < sizeof(m->bytes))
            m->bytes[m->size++] = byte | (number ? 128 : 0);
    } while (number);
}

static void put_field(struct message *m, unsigned field, uint64_t number)
{
    put_number(m, (uint64_t)field << 3);
    put_number(m, number);
}

static void put_bytes(struct message *m, unsigned field, const void *data, size_t size)
{
    enum { SPARE = 32 };
    if (m->size + size + SPARE > sizeof(m->bytes)) /* a name that is too long is truncated */
        size = m->size + SPARE < sizeof(m->bytes) ? sizeof(m->bytes) - m->size - SPARE : 0;
    put_number(m, (uint64_t)field << 3 | 2);
    put_number(m, size);
    memcpy(m->bytes + m->size, data, size);
    m->size += size;
}

/* Writes a string field: UTF-8, limited in length. */
static void put_text(struct message *m, unsigned field, const char *text)
{
    enum { LONGEST = 1024 };
    size_t size = strlen(text);
    put_bytes(m, field, text, size < LONGEST ? size : LONGEST);
}

static void put_message(struct message *m, unsigned field, const struct message *inner)
{
    put_bytes(m, field, inner->bytes, inner->size);
}

static void put_packet(FILE *file, const struct message *packet)
{
    struct message head = { .size = 0 };
    put_number(&head, 1 << 3 | 2);
    put_number(&head, packet->size);
    fwrite(head.bytes, 1, head.size, file);
    fwrite(packet->bytes, 1, packet->size, file);
}

static void put_descriptor(FILE *file, const struct message *descriptor)
{
    struct message packet = { .size = 0 };
    put_message(&packet, 60, descriptor);
    put_field(&packet, 10, SEQUENCE);
    put_packet(file, &packet);
}

static void put_event(FILE *file, uint64_t cycle, const struct message *event)
{
    struct message packet = { .size = 0 };
    put_field(&packet, 8, (uint64_t)((double)cycle * nanoseconds + 0.5));
    put_field(&packet, 10, SEQUENCE);
    put_message(&packet, 11, event);
    put_packet(file, &packet);
}

static void begin(FILE *file, double hertz)
{
    nanoseconds = hertz > 0 ? 1e9 / hertz : 1;
    struct message counter = { .size = 0 }, unit = { .size = 0 };
    put_field(&counter, 1, COUNTER_UUID);
    put_text(&counter, 2, "live memory");
    put_text(&unit, 6, "bytes");
    put_message(&counter, 8, &unit);
    put_descriptor(file, &counter);
}

static void lane(FILE *file, unsigned number, const char *name)
{
    struct message track = { .size = 0 };
    put_field(&track, 1, LANES_UUID + number);
    put_text(&track, 2, name);
    put_descriptor(file, &track);
}

static void annotate(struct message *event, const char *name, uint64_t value)
{
    struct message annotation = { .size = 0 };
    put_field(&annotation, 3, value);
    put_text(&annotation, 10, name);
    put_message(event, 4, &annotation);
}

static void slice(FILE *file, const struct slice *slice)
{
    struct message event = { .size = 0 }, end = { .size = 0 };
    annotate(&event, "step", slice->step);
    annotate(&event, "cycles", slice->cycles);
    if (slice->active_tiles)
        annotate(&event, "active tiles", slice->active_tiles);
    if (slice->data_in || slice->data_out) {
        annotate(&event, "data in", slice->data_in);
        annotate(&event, "data out", slice->data_out);
    }
    put_field(&event, 9, 1);
    put_field(&event, 11, LANES_UUID + slice->lane);
    put_text(&event, 22, slice->type);
    put_text(&event, 23, *slice->name ? slice->name : slice->type);
    put_event(file, slice->from, &event);
    put_field(&end, 9, 2);
    put_field(&end, 11, LANES_UUID + slice->lane);
    put_event(file, slice->to, &end);
}

static void counter(FILE *file, uint64_t cycle, uint64_t bytes)
{
    struct message event = { .size = 0 };
    put_field(&event, 9, 4);
    put_field(&event, 11, COUNTER_UUID);
    put_field(&event, 30, bytes);
    put_event(file, cycle, &event);
}

static void end(FILE *file)
{
    (void)file;
}

const struct format format_perfetto = { "perfetto", begin, lane, slice, counter, end };
