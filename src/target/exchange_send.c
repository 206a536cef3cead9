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

static uint64_t send_event(struct exchange_traffic *x)
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

static void make_ready(struct exchange_traffic *x, uint32_t transmission)
{
    const struct exchange_transmission *all = x->transmissions.data;
    struct exchange_port *sender = &x->ports[all[transmission].from];
    vec_push(&sender->ready);
    size_t at = sender->ready.count - 1;
    for (; at && all[sender->ready.data[at - 1]].order > all[transmission].order; --at)
        sender->ready.data[at] = sender->ready.data[at - 1];
    sender->ready.data[at] = transmission;
}

/* Its receiver waits for the message from a cycle on. */
static void await(struct exchange_traffic *x, uint32_t receipt, uint64_t from)
{
    uint32_t transmission = x->receipts.data[receipt].transmission;
    struct exchange_transmission *t = &x->transmissions.data[transmission];
    assert(!x->receipts.data[receipt].received);
    if (!t->ready)
        make_ready(x, transmission);
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

static void receive(struct exchange_traffic *x, uint32_t receipt, uint64_t now, uint64_t cycles)
{
    struct exchange_receipt *r = &x->receipts.data[receipt];
    struct exchange_port *port = &x->ports[r->to];
    assert(!r->received && port->receives_until <= now);
    port->follows +=
        now && !r->begins && r->prior != EXCHANGE_NONE && port->last == r->prior && port->receives_until == now;
    port->receives_until = now + cycles;
    port->end = port->end > now + cycles ? port->end : now + cycles;
    port->last = receipt;
    r->received = true;
}

/* The receiver waits for the next message of its sequence. */
static void await_next(struct exchange_traffic *x, uint32_t receipt, uint64_t from)
{
    struct exchange_port *port = &x->ports[x->receipts.data[receipt].to];
    if (port->head != receipt)
        return;
    while (port->head != EXCHANGE_NONE && x->receipts.data[port->head].received)
        port->head = x->receipts.data[port->head].next;
    if (port->head != EXCHANGE_NONE)
        await(x, port->head, from);
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
            receive(x, receiver.receipt, now, t->cycles);
        } else {
            x->listed.data[i] = x->listed.data[kept];
            x->listed.data[kept++] = receiver;
        }
    }
    t->count = kept - t->first;
    t->ready = false;
    for (uint32_t i = t->first; i < kept; ++i)
        if (x->receipts.data[x->listed.data[i].receipt].prior == EXCHANGE_NONE && !t->ready)
            await(x, x->listed.data[i].receipt, now + t->cycles);
    for (uint32_t i = kept; i < end; ++i)
        await_next(x, x->listed.data[i].receipt, now + t->cycles);
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
            memmove(&sender->ready.data[i], &sender->ready.data[i + 1],
                    (--sender->ready.count - i) * sizeof(*sender->ready.data));
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
    for (uint32_t i = 0; i < x->receipts.count; ++i) {
        const struct exchange_receipt *r = &x->receipts.data[i];
        if (r->prior == EXCHANGE_NONE) /* the first of a sequence, or a piece of a copy */
            await(x, i, 0);
    }
    while (x->events.count) {
        uint64_t event = send_event(x), now = event >> TILE_BITS;
        uint32_t tile = (uint32_t)(event & (EXCHANGE_MAX_TILES - 1));
        if (x->ports[tile].wake != now) /* an earlier cycle came up */
            continue;
        x->ports[tile].wake = EXCHANGE_ASLEEP;
        try_to_send(x, tile, now);
    }
}
