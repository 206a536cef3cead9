/* SPDX-License-Identifier: Apache-2.0 */
#include "target/exchange_send.h"

#include <assert.h>

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
    struct exchange_sender *sender = &x->senders[tile];
    at = at > sender->until ? at : sender->until;
    if (at >= sender->wake)
        return;
    sender->wake = at;
    push_event(x, at << TILE_BITS | tile);
}

/* ---- what a sender's receivers wait for: the first few in order, behind them a heap of the others ---- */

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

static struct exchange_looked look_at(const struct exchange_traffic *x, uint32_t transmission)
{
    return (struct exchange_looked){ transmission, x->transmissions.data[transmission].only };
}

static void add_ready(struct exchange_traffic *x, uint32_t transmission)
{
    struct exchange_sender *sender = &x->senders[x->transmissions.data[transmission].from];
    struct exchange_looked *looked = sender->looked;
    size_t at = EXCHANGE_LOOK - 1;
    if (looked[at].transmission != EXCHANGE_NONE) { /* it is the last of them, or the new one is, that is behind */
        uint32_t behind = looked[at].transmission < transmission ? transmission : looked[at].transmission;
        vec_push(&sender->behind);
        heap_add(sender->behind.data, sender->behind.count, behind);
        if (behind == transmission)
            return;
    }
    for (; at && transmission < looked[at - 1].transmission; --at) /* no number is above EXCHANGE_NONE */
        looked[at] = looked[at - 1];
    looked[at] = look_at(x, transmission);
}

/* Takes the first of those behind; EXCHANGE_NONE if there is none. */
static uint32_t take_ready(const struct exchange_traffic *x, struct exchange_sender *sender)
{
    uint32_t first = sender->behind.count ? sender->behind.data[0] : EXCHANGE_NONE;
    if (sender->next < sender->end && sender->next < first) {
        __builtin_prefetch(&x->transmissions.data[sender->next] + 2);
        return sender->next++;
    }
    if (sender->behind.count)
        heap_take(sender->behind.data, sender->behind.count--);
    return first;
}

/* Removes one of the first few. */
static void remove_ready(const struct exchange_traffic *x, struct exchange_sender *sender, size_t index)
{
    struct exchange_looked *last = &sender->looked[EXCHANGE_LOOK - 1];
    for (struct exchange_looked *looked = &sender->looked[index]; looked < last; ++looked)
        looked[0] = looked[1];
    last->transmission = take_ready(x, sender);
    if (last->transmission != EXCHANGE_NONE)
        *last = look_at(x, last->transmission);
}

/* A receiver waits for it from a cycle on. */
static void await(struct exchange_traffic *x, uint32_t transmission, uint64_t from)
{
    struct exchange_transmission *t = &x->transmissions.data[transmission];
    if (!t->ready)
        add_ready(x, transmission);
    t->ready = true;
    wake(x, t->from, from);
}

/* The first cycle, from `now` on, in which all receivers are free; any cycle after `limit` if it is later. */
static uint64_t all_free(const struct exchange_traffic *x, struct exchange_looked looked, uint64_t now, uint64_t limit)
{
    if (looked.only != EXCHANGE_NONE)
        return x->receivers[looked.only].until > now ? x->receivers[looked.only].until : now;
    struct exchange_transmission *t = &x->transmissions.data[looked.transmission];
    uint64_t at = t->blocked > now ? t->blocked : now;
    for (uint32_t i = t->first; i < t->first + t->count && at <= limit; ++i) {
        uint64_t until = x->receivers[x->listed.data[i].tile].until;
        at = until > at ? until : at;
    }
    t->blocked = at;
    return at;
}

static void receive(struct exchange_traffic *x, struct exchange_listed listed, uint64_t now, uint64_t cycles)
{
    struct exchange_receiver *receiver = &x->receivers[listed.tile];
    assert(receiver->until <= now);
    if (listed.receipt != EXCHANGE_NONE) {
        struct exchange_receipt *r = &x->receipts.data[listed.receipt];
        assert(!r->received);
        receiver->follows +=
            now && !r->begins && r->prior != EXCHANGE_NONE && receiver->last == r->prior && receiver->until == now;
        r->received = true;
    }
    receiver->until = now + cycles;
    receiver->last = listed.receipt;
}

/* The receiver waits for the next message of its sequence. */
static void await_next(struct exchange_traffic *x, struct exchange_listed listed, uint64_t from)
{
    struct exchange_receiver *receiver = &x->receivers[listed.tile];
    if (listed.receipt == EXCHANGE_NONE || receiver->head != listed.receipt)
        return;
    while (receiver->head != EXCHANGE_NONE && x->receipts.data[receiver->head].received)
        receiver->head = x->receipts.data[receiver->head].next;
    if (receiver->head != EXCHANGE_NONE)
        await(x, x->receipts.data[receiver->head].transmission, from);
}

/* Nothing precedes what is received. */
static bool is_awaited_at_once(const struct exchange_traffic *x, struct exchange_listed listed)
{
    return listed.receipt == EXCHANGE_NONE || x->receipts.data[listed.receipt].prior == EXCHANGE_NONE;
}

/* All receivers are free.  A tile that needs the data twice receives the second ones later. */
static void transmit(struct exchange_traffic *x, uint32_t transmission, uint64_t now)
{
    struct exchange_transmission *t = &x->transmissions.data[transmission];
    uint64_t then = now + t->cycles;
    uint32_t end = t->first + t->count, kept = t->first;
    x->senders[t->from].until = then;
    t->ready = false;
    if (t->piece && t->only != EXCHANGE_NONE) {
        receive(x, (struct exchange_listed){ t->only, EXCHANGE_NONE }, now, t->cycles);
        return;
    }
    for (uint32_t i = t->first; i < end; ++i) {
        struct exchange_listed listed = x->listed.data[i];
        if (x->receivers[listed.tile].until <= now) {
            receive(x, listed, now, t->cycles);
        } else {
            x->listed.data[i] = x->listed.data[kept];
            x->listed.data[kept++] = listed;
        }
    }
    t->count = kept - t->first;
    for (uint32_t i = t->first; i < kept && !t->ready; ++i)
        if (is_awaited_at_once(x, x->listed.data[i]))
            await(x, transmission, then);
    for (uint32_t i = kept; i < end; ++i)
        await_next(x, x->listed.data[i], then);
}

/* The tile sends, if it can, and is woken when it can send next. */
static void try_to_send(struct exchange_traffic *x, uint32_t tile, uint64_t now)
{
    struct exchange_sender *sender = &x->senders[tile];
    uint64_t soonest = EXCHANGE_ASLEEP;
    for (size_t i = 0; i < EXCHANGE_LOOK && sender->looked[i].transmission != EXCHANGE_NONE; ++i) {
        uint32_t transmission = sender->looked[i].transmission;
        uint64_t at = all_free(x, sender->looked[i], now, soonest);
        if (at == now) {
            remove_ready(x, sender, i);
            transmit(x, transmission, now);
            soonest = sender->until;
            break;
        }
        soonest = at < soonest ? at : soonest;
    }
    if (sender->looked[0].transmission != EXCHANGE_NONE)
        wake(x, tile, soonest);
}

/* A piece of a copy is waited for at once. */
static void begin_piece(struct exchange_traffic *x, uint32_t transmission)
{
    struct exchange_transmission *t = &x->transmissions.data[transmission];
    struct exchange_sender *sender = &x->senders[t->from];
    bool none = sender->next == sender->end;
    t->ready = true;
    if (sender->looked[EXCHANGE_LOOK - 1].transmission == EXCHANGE_NONE || (!none && sender->end != transmission)) {
        add_ready(x, transmission);
    } else {
        sender->next = none ? transmission : sender->next;
        sender->end = transmission + 1;
    }
    wake(x, t->from, 0);
}

void exchange_send(struct exchange_traffic *x)
{
    assert(!x->events.count);
    for (uint32_t i = 0; i < x->transmissions.count; ++i)
        if (x->transmissions.data[i].piece)
            begin_piece(x, i);
    for (uint32_t i = 0; i < x->receipts.count; ++i) {
        const struct exchange_receipt *r = &x->receipts.data[i];
        if (!r->piece && r->prior == EXCHANGE_NONE) /* the first of a sequence */
            await(x, r->transmission, 0);
    }
    while (x->events.count) {
        uint64_t event = take_event(x), now = event >> TILE_BITS;
        uint32_t tile = (uint32_t)(event & (EXCHANGE_MAX_TILES - 1));
        if (x->senders[tile].wake != now) /* an earlier cycle came up */
            continue;
        x->senders[tile].wake = EXCHANGE_ASLEEP;
        try_to_send(x, tile, now);
    }
}
