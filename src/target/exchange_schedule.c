/* SPDX-License-Identifier: Apache-2.0 */
#include "target/exchange_schedule.h"

#include "target/exchange_send.h"

#include "base/sort.h"

#include <assert.h>

/* A transmission, by a nonzero hash of its data. */
struct sent_data {
    uint64_t key;
    uint32_t transmission;
};
/* A message that was asked for, whose place in the table of sent data is being fetched from memory. */
struct request {
    uint64_t key; /* of its data; 0: they have no other receiver */
    uint64_t cycles, address;
    uint32_t from, to;
    bool piece, begins;
};
enum { REQUESTS = 16 };
struct exchange_schedule {
    const pop_target *target;
    struct exchange_traffic traffic;
    VEC(uint32_t) touched;  /* tiles */
    struct sent_data *sent; /* open addressing */
    size_t sent_count, sent_size;
    struct request requests[REQUESTS];
    uint64_t asked, answered;  /* those between are in requests */
    uint64_t messages, cycles; /* so far */
    bool finished;
};

enum { FIRST_SENT = 1024 };

static void make_idle(struct exchange_traffic *traffic, uint32_t tile)
{
    struct exchange_sender *sender = &traffic->senders[tile];
    sender->until = 0;
    sender->wake = EXCHANGE_ASLEEP;
    sender->next = sender->end = 0;
    sender->behind.count = 0;
    for (size_t i = 0; i < EXCHANGE_LOOK; ++i)
        sender->looked[i].transmission = EXCHANGE_NONE;
    traffic->receivers[tile] = (struct exchange_receiver){
        .last = EXCHANGE_NONE, .listed = EXCHANGE_NONE, .head = EXCHANGE_NONE, .tail = EXCHANGE_NONE
    };
}

struct exchange_schedule *exchange_schedule_create(const pop_target *target)
{
    struct exchange_schedule *schedule = MEM_NEW(struct exchange_schedule);
    struct exchange_traffic *traffic = &schedule->traffic;
    unsigned tiles = pop_target_num_tiles(target);
    assert(tiles < EXCHANGE_MAX_TILES);
    *schedule = (struct exchange_schedule){ .target = target, .sent_size = FIRST_SENT };
    /* An even number: the last tile has a neighbour on its bus. */
    traffic->senders = mem_zero(tiles + 1, sizeof(*traffic->senders));
    traffic->receivers = mem_zero(tiles + 1, sizeof(*traffic->receivers));
    for (unsigned tile = 0; tile <= tiles; ++tile)
        make_idle(traffic, tile);
    schedule->sent = mem_zero(FIRST_SENT, sizeof(*schedule->sent));
    return schedule;
}

void exchange_schedule_free(struct exchange_schedule *schedule)
{
    if (!schedule)
        return;
    for (unsigned tile = 0; tile < pop_target_num_tiles(schedule->target); ++tile)
        vec_free(&schedule->traffic.senders[tile].behind);
    free(schedule->traffic.senders);
    free(schedule->traffic.receivers);
    vec_free(&schedule->traffic.receipts);
    vec_free(&schedule->traffic.transmissions);
    vec_free(&schedule->traffic.listed);
    vec_free(&schedule->traffic.events);
    vec_free(&schedule->touched);
    free(schedule->sent);
    free(schedule);
}

/* More messages, or words, than are scheduled. */
static bool overfull(const struct exchange_schedule *schedule)
{
    return schedule->messages > EXCHANGE_SCHEDULE_MAX || schedule->cycles > EXCHANGE_MAX_CYCLES;
}

static struct exchange_receiver *touch(struct exchange_schedule *schedule, uint32_t tile)
{
    assert(tile < pop_target_num_tiles(schedule->target));
    struct exchange_receiver *receiver = &schedule->traffic.receivers[tile];
    if (!receiver->touched) {
        receiver->touched = true;
        *vec_push(&schedule->touched) = tile;
    }
    return receiver;
}

static struct sent_data *find_sent(struct sent_data *table, size_t size, uint64_t key)
{
    assert(key && size && (size & (size - 1)) == 0);
    size_t at = key & (size - 1);
    while (table[at].key && table[at].key != key)
        at = (at + 1) & (size - 1);
    return &table[at];
}

/* Written at once: a page that is read first, as one of mem_zero would be, is mapped twice, and the second time all
 * threads wait. */
static struct sent_data *empty_sent(size_t size)
{
    return memset(mem_alloc(size * sizeof(struct sent_data)), 0, size * sizeof(struct sent_data));
}

static void grow_sent(struct exchange_schedule *schedule)
{
    assert(schedule->sent_count <= schedule->sent_size);
    size_t size = 2 * schedule->sent_size;
    struct sent_data *table = empty_sent(size);
    for (size_t i = 0; i < schedule->sent_size; ++i)
        if (schedule->sent[i].key)
            *find_sent(table, size, schedule->sent[i].key) = schedule->sent[i];
    free(schedule->sent);
    schedule->sent = table;
    schedule->sent_size = size;
}

static uint64_t message_key(uint32_t from, uint64_t cycles, uint64_t what)
{
    uint64_t key = (what ^ from * 0x9e3779b97f4a7c15u ^ cycles << 40) * 0xd6e8feb86659fd93u;
    key ^= key >> 32;
    return key ? key : 1;
}

static uint32_t new_transmission(struct exchange_schedule *schedule, uint32_t from, uint64_t cycles)
{
    uint32_t transmission = (uint32_t)schedule->traffic.transmissions.count;
    assert(cycles <= EXCHANGE_MAX_CYCLES);
    *vec_push(&schedule->traffic.transmissions) = (struct exchange_transmission){
        .cycles = cycles & (2 * EXCHANGE_MAX_CYCLES - 1), .from = from & (EXCHANGE_MAX_TILES - 1), .order = transmission
    };
    return transmission;
}

/* Of the same data to all their receivers. */
static uint32_t transmission_of(struct exchange_schedule *schedule, const struct request *request)
{
    if (!request->key)
        return new_transmission(schedule, request->from, request->cycles);
    struct sent_data *sent = find_sent(schedule->sent, schedule->sent_size, request->key);
    if (sent->key)
        return sent->transmission;
    uint32_t transmission = new_transmission(schedule, request->from, request->cycles);
    *sent = (struct sent_data){ request->key, transmission };
    if (2 * ++schedule->sent_count > schedule->sent_size)
        grow_sent(schedule);
    return transmission;
}

/* The receipt is the last of its receiver's sequence. */
static void add_to_sequence(struct exchange_traffic *traffic, uint32_t receipt, const struct request *request)
{
    struct exchange_receiver *receiver = &traffic->receivers[request->to];
    struct exchange_receipt *r = &traffic->receipts.data[receipt];
    r->begins = request->begins;
    r->prior = receiver->tail;
    if (receiver->tail == EXCHANGE_NONE)
        receiver->head = receipt;
    else
        traffic->receipts.data[receiver->tail].next = receipt;
    receiver->tail = receipt;
}

/* Receipt and transmission of the oldest request. */
static void answer(struct exchange_schedule *schedule)
{
    assert(schedule->answered < schedule->asked);
    const struct request *request = &schedule->requests[schedule->answered++ % REQUESTS];
    struct exchange_traffic *traffic = &schedule->traffic;
    uint32_t transmission = transmission_of(schedule, request), receipt = (uint32_t)traffic->receipts.count;
    struct exchange_transmission *t = &traffic->transmissions.data[transmission];
    *vec_push(&traffic->receipts) = (struct exchange_receipt){ .to = request->to & (EXCHANGE_MAX_TILES - 1),
                                                               .piece = request->piece,
                                                               .transmission = transmission,
                                                               .prior = EXCHANGE_NONE,
                                                               .next = EXCHANGE_NONE };
    ++t->count;
    if (request->piece) {
        t->order = request->address;
        t->piece = true;
    } else {
        add_to_sequence(traffic, receipt, request);
    }
}

/* A message without words, and one of an exchange that is not scheduled, has no receipt. */
static void ask(struct exchange_schedule *schedule, struct request request, uint64_t bytes, uint64_t what)
{
    unsigned width = schedule->target->exchange_bytes_per_cycle;
    request.cycles = bytes / width + (bytes % width != 0);
    assert(!schedule->finished);
    ++schedule->messages;
    schedule->cycles += request.cycles <= EXCHANGE_MAX_CYCLES ? request.cycles : EXCHANGE_MAX_CYCLES + 1;
    if (overfull(schedule))
        return;
    touch(schedule, request.from);
    struct exchange_receiver *receiver = touch(schedule, request.to);
    if (!request.cycles)
        return;
    if (what != EXCHANGE_ONCE) {
        request.key = message_key(request.from, request.cycles, what);
        __builtin_prefetch(&schedule->sent[request.key & (schedule->sent_size - 1)]);
    }
    if (!request.piece) {
        request.begins = receiver->begins;
        receiver->begins = false;
    }
    if (schedule->asked - schedule->answered == REQUESTS)
        answer(schedule);
    schedule->requests[schedule->asked++ % REQUESTS] = request;
}

void exchange_schedule_row(struct exchange_schedule *schedule, uint32_t tile)
{
    schedule->traffic.receivers[tile].begins = true;
}

void exchange_schedule_message(struct exchange_schedule *schedule, uint32_t from, uint32_t to, uint64_t bytes,
                               uint64_t what)
{
    ask(schedule, (struct request){ .from = from, .to = to }, bytes, what);
}

void exchange_schedule_piece(struct exchange_schedule *schedule, uint32_t from, uint32_t to, uint64_t bytes,
                             uint64_t what, uint64_t address)
{
    ask(schedule, (struct request){ .from = from, .to = to, .piece = true, .address = address }, bytes, what);
}

static uint64_t order_of(const void *transmission)
{
    return ((const struct exchange_transmission *)transmission)->order;
}

static uint64_t sender_of(const void *transmission)
{
    return ((const struct exchange_transmission *)transmission)->from;
}

/* By their senders, and for each in the order in which it sends them. */
static void sort_transmissions(struct exchange_traffic *traffic)
{
    struct exchange_transmission *all = traffic->transmissions.data;
    size_t count = traffic->transmissions.count;
    uint32_t *place = mem_alloc(count * sizeof(*place)); /* of each, as they were created */
    for (uint32_t i = 0; i < count; ++i)
        all[i].first = i;
    sort_by_key(all, count, sizeof(*all), order_of);
    sort_by_key(all, count, sizeof(*all), sender_of);
    for (uint32_t i = 0; i < count; ++i) {
        place[all[i].first] = i;
        all[i].blocked = 0;
    }
    for (size_t i = 0; i < traffic->receipts.count; ++i)
        traffic->receipts.data[i].transmission = place[traffic->receipts.data[i].transmission];
    free(place);
}

/* The receivers of each transmission, in the order of their requests. */
static void list_receipts(struct exchange_traffic *traffic)
{
    uint32_t first = 0;
    for (size_t i = 0; i < traffic->transmissions.count; ++i) {
        struct exchange_transmission *t = &traffic->transmissions.data[i];
        t->first = first;
        first += t->count;
        t->count = 0;
    }
    traffic->listed.count = 0;
    vec_reserve(&traffic->listed, traffic->receipts.count);
    for (uint32_t i = 0; i < traffic->receipts.count; ++i) {
        const struct exchange_receipt *r = &traffic->receipts.data[i];
        struct exchange_transmission *t = &traffic->transmissions.data[r->transmission];
        traffic->listed.data[t->first + t->count++] = (struct exchange_listed){ r->to, r->piece ? EXCHANGE_NONE : i };
        t->only = t->count == 1 ? r->to : EXCHANGE_NONE;
    }
}

/* Whether both tiles of the receiver's bus take the words of a transmission; one of them may have sent it. */
static bool whole_bus_takes(const struct exchange_schedule *schedule, uint32_t transmission, uint32_t receiver)
{
    uint32_t tiles = schedule->target->tiles_per_ipu, within = receiver % tiles,
             other = receiver - within + (within ^ 1);
    const struct exchange_traffic *traffic = &schedule->traffic;
    return (within ^ 1) < tiles && (traffic->receivers[other].listed == transmission ||
                                    traffic->transmissions.data[transmission].from == other);
}

/* What whole buses receive is sent two words a cycle. */
static void share_buses(struct exchange_schedule *schedule)
{
    struct exchange_traffic *traffic = &schedule->traffic;
    if (!pop_target_supports_exchange_bus_sharing(schedule->target) ||
        pop_target_tiles_per_shared_exchange_bus(schedule->target) != 2)
        return;
    for (uint32_t i = 0; i < traffic->transmissions.count; ++i) {
        struct exchange_transmission *t = &traffic->transmissions.data[i];
        const struct exchange_listed *listed = &traffic->listed.data[t->first];
        bool whole = t->count > 1;
        for (uint32_t k = 0; k < t->count; ++k)
            traffic->receivers[listed[k].tile].listed = i;
        for (uint32_t k = 0; k < t->count && whole; ++k)
            whole = whole_bus_takes(schedule, i, listed[k].tile);
        t->cycles -= whole ? t->cycles / 2 : 0;
    }
}

void exchange_schedule_finish(struct exchange_schedule *schedule)
{
    struct exchange_traffic *traffic = &schedule->traffic;
    if (!schedule->finished && !overfull(schedule)) {
        while (schedule->answered < schedule->asked)
            answer(schedule);
        sort_transmissions(traffic);
        list_receipts(traffic);
        share_buses(schedule);
        exchange_send(traffic);
    }
    schedule->finished = true;
}

uint64_t exchange_schedule_end(const struct exchange_schedule *schedule, uint32_t tile)
{
    assert(tile < pop_target_num_tiles(schedule->target));
    uint64_t sent = schedule->traffic.senders[tile].until, received = schedule->traffic.receivers[tile].until;
    return overfull(schedule) ? 0 : sent > received ? sent : received;
}

uint32_t exchange_schedule_follows(const struct exchange_schedule *schedule, uint32_t tile)
{
    return overfull(schedule) ? 0 : schedule->traffic.receivers[tile].follows;
}

/* Empties the table and sizes it for about as many messages as the last exchange had, so that one large exchange does
 * not slow down all later ones. */
static void clear_sent(struct exchange_schedule *schedule)
{
    size_t size = FIRST_SENT;
    if (!schedule->sent_count)
        return;
    while (size < 4 * schedule->sent_count)
        size *= 2;
    if (size < schedule->sent_size) {
        free(schedule->sent);
        schedule->sent = empty_sent(size);
        schedule->sent_size = size;
    } else {
        memset(schedule->sent, 0, schedule->sent_size * sizeof(*schedule->sent));
    }
    schedule->sent_count = 0;
}

void exchange_schedule_clear(struct exchange_schedule *schedule)
{
    struct exchange_traffic *traffic = &schedule->traffic;
    for (size_t i = 0; i < schedule->touched.count; ++i)
        make_idle(traffic, schedule->touched.data[i]);
    schedule->touched.count = 0;
    traffic->receipts.count = traffic->transmissions.count = 0;
    clear_sent(schedule);
    schedule->messages = schedule->cycles = schedule->asked = schedule->answered = 0;
    schedule->finished = false;
}
