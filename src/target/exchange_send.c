/* SPDX-License-Identifier: Apache-2.0 */
#include "target/exchange_send.h"

#include <assert.h>

/* Of what its receivers wait for, a sender looks at this many.  Taken from tutorial 6's listing of ipu2, the only
 * published exchange of many scattered pieces (docs/decisions/0004). */
enum { LOOK = 3 };
enum { TILE_BITS = 24 };

static void push_event(struct exchange_traffic *x, uint64_t event)
{
    vec_push(&x->events);
    size_t at = x->events.count - 1;
    for (; at && x->events.data[(at - 1) / 2] > event; at = (at - 1) / 2)
        x->events.data[at] = x->events.data[(at - 1) / 2];
    x->events.data[at] = event;
}

static uint64_t take_event(struct exchange_traffic *x)
{
    assert(x->events.count);
    uint64_t *heap = x->events.data, first = heap[0], last = heap[--x->events.count];
    size_t at = 0, count = x->events.count;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

/* The tile tries to send at that cycle, or as soon as it has sent what it sends. */
static void wake(struct exchange_traffic *x, uint32_t tile, uint64_t at)
{
    struct exchange_port *port = &x->ports[tile];
    at = at > port->sends_until ? at : port->sends_until;
    if (at >= port->wake)
        return;
    port->wake = at;
    push_event(x, at << TILE_BITS | tile);
}

/* ---- what a sender's receivers wait for: the first LOOK in order, behind them a heap of the rest ---- */

/* Adds a message to the heap, whose last place is free. */
static void heap_add(uint32_t *heap, size_t count, uint32_t added)
{
    size_t at = count - 1;
    for (; at && added < heap[(at - 1) / 2]; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = added;
}

/* Takes the first message of the heap. */
static uint32_t heap_take(uint32_t *heap, size_t count)
{
    uint32_t first = heap[0], last = heap[--count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && heap[child + 1] < heap[child];
        if (heap[child] >= last)
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

static void add_ready(struct exchange_port *sender, uint32_t transmission)
{
    vec_push(&sender->ready);
    uint32_t *ready = sender->ready.data, added = transmission;
    size_t count = sender->ready.count, at = (count < LOOK ? count : LOOK) - 1;
    if (count > LOOK) { /* the last of LOOK, or the new one, goes to the heap */
        if (added < ready[at]) {
            added = ready[at];
            ready[at] = transmission;
        }
        heap_add(ready + LOOK, count - LOOK, added);
        if (added == transmission)
            return;
    }
    for (; at && transmission < ready[at - 1]; --at)
        ready[at] = ready[at - 1];
    ready[at] = transmission;
}

/* Removes one of the first LOOK. */
static void remove_ready(struct exchange_port *sender, size_t index)
{
    uint32_t *ready = sender->ready.data;
    size_t count = sender->ready.count--, looked = count < LOOK ? count : LOOK;
    for (size_t i = index; i + 1 < looked; ++i)
        ready[i] = ready[i + 1];
    if (count > LOOK)
        ready[LOOK - 1] = heap_take(ready + LOOK, count - LOOK);
}

/* A receiver waits for it from a cycle on. */
static void await(struct exchange_traffic *x, uint32_t transmission, uint64_t from)
{
    struct exchange_transmission *t = &x->transmissions.data[transmission];
    if (!t->ready)
        add_ready(&x->ports[t->from], transmission);
    t->ready = true;
    wake(x, t->from, from);
}

/* The first cycle, from `now` on, in which all its receivers are free; any cycle after `limit` if it is later. */
static uint64_t all_free(const struct exchange_traffic *x, struct exchange_transmission *t, uint64_t now,
                         uint64_t limit)
{
    uint64_t at = t->blocked > now ? t->blocked : now;
    for (uint32_t i = t->first; i < t->first + t->count && at <= limit; ++i) {
        uint64_t until = x->ports[x->listed.data[i].tile].receives_until;
        at = until > at ? until : at;
    }
    t->blocked = at;
    return at;
}

static void receive(struct exchange_traffic *x, struct exchange_receiver receiver, uint64_t now, uint64_t cycles)
{
    struct exchange_port *port = &x->ports[receiver.tile];
    assert(port->receives_until <= now);
    if (receiver.receipt != EXCHANGE_NONE) {
        struct exchange_receipt *r = &x->receipts.data[receiver.receipt];
        assert(!r->received);
        port->follows +=
            now && !r->begins && r->prior != EXCHANGE_NONE && port->last == r->prior && port->receives_until == now;
        r->received = true;
    }
    port->receives_until = now + cycles;
    port->end = port->end > now + cycles ? port->end : now + cycles;
    port->last = receiver.receipt;
}

/* The receiver waits for the next message of its sequence. */
static void await_next(struct exchange_traffic *x, struct exchange_receiver receiver, uint64_t from)
{
    struct exchange_port *port = &x->ports[receiver.tile];
    if (receiver.receipt == EXCHANGE_NONE || port->head != receiver.receipt)
        return;
    while (port->head != EXCHANGE_NONE && x->receipts.data[port->head].received)
        port->head = x->receipts.data[port->head].next;
    if (port->head != EXCHANGE_NONE)
        await(x, x->receipts.data[port->head].transmission, from);
}

/* Nothing precedes what is received. */
static bool is_awaited_at_once(const struct exchange_traffic *x, struct exchange_receiver receiver)
{
    return receiver.receipt == EXCHANGE_NONE || x->receipts.data[receiver.receipt].prior == EXCHANGE_NONE;
}

/* All receivers are free.  A tile that needs the data twice receives the second ones later. */
static void transmit(struct exchange_traffic *x, uint32_t transmission, uint64_t now)
{
    struct exchange_transmission *t = &x->transmissions.data[transmission];
    struct exchange_port *sender = &x->ports[t->from];
    uint32_t end = t->first + t->count, kept = t->first;
    sender->sends_until = now + t->cycles;
    sender->end = sender->end > sender->sends_until ? sender->end : sender->sends_until;
    for (uint32_t i = t->first; i < end; ++i) {
        struct exchange_receiver receiver = x->listed.data[i];
        if (x->ports[receiver.tile].receives_until <= now) {
            receive(x, receiver, now, t->cycles);
        } else {
            x->listed.data[i] = x->listed.data[kept];
            x->listed.data[kept++] = receiver;
        }
    }
    t->count = kept - t->first;
    t->ready = false;
    for (uint32_t i = t->first; i < kept && !t->ready; ++i)
        if (is_awaited_at_once(x, x->listed.data[i]))
            await(x, transmission, now + t->cycles);
    for (uint32_t i = kept; i < end; ++i)
        await_next(x, x->listed.data[i], now + t->cycles);
}

/* The tile sends, if it can, and is woken when it can send next. */
static void try_to_send(struct exchange_traffic *x, uint32_t tile, uint64_t now)
{
    struct exchange_port *sender = &x->ports[tile];
    uint64_t soonest = EXCHANGE_ASLEEP;
    for (size_t i = 0; i < sender->ready.count && i < LOOK; ++i) {
        uint32_t transmission = sender->ready.data[i];
        uint64_t at = all_free(x, &x->transmissions.data[transmission], now, soonest);
        if (at == now) {
            remove_ready(sender, i);
            transmit(x, transmission, now);
            soonest = sender->sends_until;
            break;
        }
        soonest = at < soonest ? at : soonest;
    }
    if (sender->ready.count)
        wake(x, tile, soonest);
}

void exchange_send(struct exchange_traffic *x)
{
    assert(!x->events.count);
    for (uint32_t i = 0; i < x->transmissions.count; ++i) {
        const struct exchange_transmission *t = &x->transmissions.data[i];
        if (t->ready) {
            add_ready(&x->ports[t->from], i);
            wake(x, t->from, 0);
        }
    }
    for (uint32_t i = 0; i < x->receipts.count; ++i) {
        const struct exchange_receipt *r = &x->receipts.data[i];
        if (!r->piece && r->prior == EXCHANGE_NONE) /* the first of a sequence */
            await(x, r->transmission, 0);
    }
    while (x->events.count) {
        uint64_t event = take_event(x), now = event >> TILE_BITS;
        uint32_t tile = (uint32_t)(event & (EXCHANGE_MAX_TILES - 1));
        if (x->ports[tile].wake != now) /* an earlier cycle came up */
            continue;
        x->ports[tile].wake = EXCHANGE_ASLEEP;
        try_to_send(x, tile, now);
    }
}
