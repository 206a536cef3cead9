/* SPDX-License-Identifier: Apache-2.0 */
#include "target/exchange_schedule.h"
#include "base/bits.h"

#include "base/mem.h"
#include "base/sort.h"
#include "base/vec.h"

#include <assert.h>
#include <string.h>

/* The cycles in which a tile sends, or receives, one bit each; cycles after the last word are free. */
struct line {
    uint64_t *busy;
    size_t words;
    uint64_t full; /* all earlier ones are busy */
};
struct scheduled_tile {
    struct line send, receive;
    uint64_t row; /* earliest cycle of the row's next message */
    uint64_t end;
    uint32_t follows, pieces;
    uint64_t pairs; /* pairs of words that the other tile of its bus receives too */
    bool touched;
    bool begins; /* the next message begins another row */
};
/* A scheduled message, by a nonzero hash: the cycles of its first and of its last transmission, and its last receiver.
 */
struct sent {
    uint64_t key, start, last;
    uint32_t receiver;
};
/* A message that is scheduled later.  key: of its data.  round: the round of its sender; 0 unless it is a part of a
 * copy. row: it begins a row. */
struct message {
    uint64_t key, cycles;
    uint32_t from, to, round;
    bool row;
};
/* Messages of a sender in a round.  Fitted to tutorial 6's listing of ipu2: 6 and 7 meet its exchange and sync
 * (docs/decisions/0004). */
enum { ROUND = 7 };
/* Maximum cycles that a tile waits for a shared transmission if the message could be sent again earlier.  Values from
 * 250 to 600 meet tutorial 7's later listings; without a limit neighbours in a convolution's field form a chain of
 * waiting tiles (docs/decisions/0004). */
enum { MAX_WAIT_CYCLES = 250 };
/* A message of more cycles is scheduled after all shorter ones, in parts of this length (longer if there would be more
 * than MAX_PARTS), in any free cycles.  Values from 64 to 500 meet the published figures (docs/decisions/0004). */
enum { LONG = 250, MAX_PARTS = 64 };
/* Messages are collected before they are scheduled, so that lookups of earlier transmissions can be prefetched: the
 * table is larger than the caches. */
enum { BATCH = 1024, AHEAD = 8 };
struct exchange_schedule {
    const pop_target *target;
    VEC(struct message) pieces;        /* of copies */
    VEC(struct message) shorts, longs; /* of sets */
    struct scheduled_tile *tiles;
    VEC(uint32_t) touched;
    struct sent *sent; /* open addressing */
    size_t sent_count, sent_size;
    size_t messages; /* so far */
};

enum { FIRST_SENT = 1024 };
/* Far more than the memory of a tile: an overfull tile's messages after this cycle are scheduled one after another,
 * without a search. */
#define MAX_CYCLES ((uint64_t)1 << 24)

struct exchange_schedule *exchange_schedule_create(const pop_target *target)
{
    struct exchange_schedule *schedule = MEM_NEW(struct exchange_schedule);
    schedule->target = target;
    schedule->tiles = mem_zero(pop_target_num_tiles(target), sizeof(*schedule->tiles));
    schedule->sent_size = FIRST_SENT;
    schedule->sent = mem_zero(FIRST_SENT, sizeof(*schedule->sent));
    return schedule;
}

void exchange_schedule_free(struct exchange_schedule *schedule)
{
    if (!schedule)
        return;
    for (unsigned tile = 0; tile < pop_target_num_tiles(schedule->target); ++tile) {
        free(schedule->tiles[tile].send.busy);
        free(schedule->tiles[tile].receive.busy);
    }
    free(schedule->tiles);
    free(schedule->sent);
    vec_free(&schedule->touched);
    vec_free(&schedule->pieces);
    vec_free(&schedule->shorts);
    vec_free(&schedule->longs);
    free(schedule);
}

/* The first cycle from `at` that is busy (or free), or `end`. */
static uint64_t next_cycle(const struct line *line, uint64_t at, uint64_t end, bool busy)
{
    while (at < end) {
        size_t word = at / 64;
        if (word >= line->words)
            return busy ? end : at;
        uint64_t bits = (busy ? line->busy[word] : ~line->busy[word]) >> at % 64;
        if (bits) {
            at += (uint64_t)__builtin_ctzll(bits);
            return at < end ? at : end;
        }
        at = (uint64_t)(word + 1) * 64;
    }
    return end;
}

/* The first `cycles` free ones in a row, from `at`. */
static uint64_t free_from(const struct line *line, uint64_t at, uint64_t cycles)
{
    at = at > line->full ? at : line->full;
    for (uint64_t stop; (stop = next_cycle(line, at, at + cycles, true)) < at + cycles;)
        at = next_cycle(line, stop, UINT64_MAX, false);
    return at;
}

enum { WINDOW = 64 };

/* The cycles from `at` on that are busy, a bit for each. */
static uint64_t busy_window(const struct line *line, uint64_t at)
{
    size_t word = at / WINDOW, shift = at % WINDOW;
    uint64_t low = word < line->words ? line->busy[word] : 0, high = word + 1 < line->words ? line->busy[word + 1] : 0;
    return shift ? low >> shift | high << (WINDOW - shift) : low;
}

/* The first cycles in a row, at most a window, that are free in both lines. */
static uint64_t free_in_both(const struct line *a, const struct line *b, uint64_t at, uint64_t cycles)
{
    assert(cycles && cycles <= WINDOW);
    at = at > a->full ? at : a->full;
    at = at > b->full ? at : b->full;
    for (;;) {
        uint64_t busy = busy_window(a, at) | busy_window(b, at), begins = ~busy;
        for (uint64_t length = 1; length < cycles && begins;) { /* bits that begin a row of this length */
            uint64_t step = length < cycles - length ? length : cycles - length;
            begins &= begins >> step;
            length += step;
        }
        if (begins)
            return at + (uint64_t)__builtin_ctzll(begins);
        at += WINDOW - (uint64_t)__builtin_clzll(busy); /* busy is not 0: else the window would do */
    }
}

static void occupy(struct line *line, uint64_t at, uint64_t end)
{
    assert(at < end && end <= MAX_CYCLES);
    size_t words = (size_t)(end / 64 + 1);
    bool fills = at == line->full;
    if (words > line->words) {
        words = words > 2 * line->words ? words : 2 * line->words;
        line->busy = mem_grow(line->busy, words * sizeof(*line->busy));
        memset(line->busy + line->words, 0, (words - line->words) * sizeof(*line->busy));
        line->words = words;
    }
    bits_set(line->busy, at, end);
    if (fills)
        line->full = next_cycle(line, end, UINT64_MAX, false);
}

static struct scheduled_tile *touch(struct exchange_schedule *schedule, uint32_t tile)
{
    assert(tile < pop_target_num_tiles(schedule->target));
    struct scheduled_tile *at = &schedule->tiles[tile];
    if (!at->touched) {
        at->touched = true;
        *vec_push(&schedule->touched) = tile;
    }
    return at;
}

static struct sent *find_sent(struct sent *table, size_t size, uint64_t key)
{
    assert(key && size && (size & (size - 1)) == 0);
    size_t at = key & (size - 1);
    while (table[at].key && table[at].key != key)
        at = (at + 1) & (size - 1);
    return &table[at];
}

static void grow_sent(struct exchange_schedule *schedule)
{
    assert(schedule->sent_count <= schedule->sent_size);
    size_t size = 2 * schedule->sent_size;
    struct sent *table = mem_zero(size, sizeof(*table));
    for (size_t i = 0; i < schedule->sent_size; ++i)
        if (schedule->sent[i].key)
            *find_sent(table, size, schedule->sent[i].key) = schedule->sent[i];
    free(schedule->sent);
    schedule->sent = table;
    schedule->sent_size = size;
}

/* 0: it has one receiver. */
static uint64_t message_key(uint32_t from, uint64_t cycles, uint64_t what)
{
    if (what == EXCHANGE_ONCE)
        return 0;
    uint64_t key = (what ^ from * 0x9e3779b97f4a7c15u ^ cycles << 40) * 0xd6e8feb86659fd93u;
    key ^= key >> 32;
    return key ? key : 1;
}

void exchange_schedule_row(struct exchange_schedule *schedule, uint32_t tile)
{
    schedule->tiles[tile].begins = true;
}

/* The first cycles, after the row's earlier messages, in which both are free. */
static uint64_t first_free(const struct scheduled_tile *sender, const struct scheduled_tile *receiver, uint64_t cycles)
{
    uint64_t at = receiver->row;
    if (cycles && cycles <= WINDOW)
        at = free_in_both(&sender->send, &receiver->receive, at, cycles);
    for (uint64_t both = UINT64_MAX; cycles > WINDOW && at != both && at + cycles <= MAX_CYCLES;) {
        both = at;
        at = free_from(&sender->send, free_from(&receiver->receive, both, cycles), cycles);
    }
    if (at + cycles <= MAX_CYCLES)
        return at;
    return sender->end > receiver->end ? sender->end : receiver->end;
}

static void take(struct line *line, struct scheduled_tile *tile, uint64_t at, uint64_t end)
{
    if (end <= MAX_CYCLES)
        occupy(line, at, end);
    tile->end = end > tile->end ? end : tile->end;
}

/* Whether a tile is free in the cycles of a transmission to another tile. */
static bool accepts(const struct scheduled_tile *receiver, uint64_t start, uint64_t cycles)
{
    uint64_t end = start + cycles;
    return end <= MAX_CYCLES && start >= receiver->receive.full &&
           next_cycle(&receiver->receive, start, end, true) == end;
}

/* The first cycle of a message.  *again: it is a new transmission. */
static uint64_t message_start(const struct sent *sent, const struct scheduled_tile *sender,
                              const struct scheduled_tile *receiver, uint64_t cycles, bool *again)
{
    bool first = sent->key && accepts(receiver, sent->start, cycles);
    *again = first && sent->start <= receiver->row + MAX_WAIT_CYCLES;
    if (*again) /* any free cycles: none is before the row's */
        return sent->start;
    uint64_t at = first_free(sender, receiver, cycles);
    first &= sent->start <= at + MAX_WAIT_CYCLES;
    bool last = sent->key && sent->last <= at + MAX_WAIT_CYCLES && accepts(receiver, sent->last, cycles);
    *again = first || last;
    return first ? sent->start : last ? sent->last : at;
}

static uint64_t cycles_of(const struct exchange_schedule *schedule, uint64_t bytes)
{
    unsigned width = schedule->target->exchange_bytes_per_cycle;
    return bytes / width + (bytes % width != 0);
}

static void schedule_message(struct exchange_schedule *schedule, const struct message *message)
{
    uint64_t cycles = message->cycles, key = message->key;
    uint32_t to = message->to;
    bool again;
    struct scheduled_tile *sender = touch(schedule, message->from), *receiver = touch(schedule, to);
    struct sent alone = { 0 }, *sent = key ? find_sent(schedule->sent, schedule->sent_size, key) : &alone;
    if (message->row)
        receiver->row = 0;
    if (!cycles)
        return;
    uint64_t at = message_start(sent, sender, receiver, cycles, &again);
    if (!again)
        take(&sender->send, sender, at, at + cycles);
    if (!sent->key) {
        *sent = (struct sent){ key, at, at, to };
        schedule->sent_count += key != 0;
    } else if (!again) {
        sent->last = at;
    }
    if (sent->receiver == (to ^ 1)) {
        receiver->pairs += cycles / 2;
        schedule->tiles[to ^ 1].pairs += cycles / 2;
    }
    sent->receiver = to;
    if (2 * schedule->sent_count > schedule->sent_size)
        grow_sent(schedule);
    receiver->follows += at && at == receiver->row;
    take(&receiver->receive, receiver, at, at + cycles);
    receiver->row = at + cycles > receiver->row ? at + cycles : receiver->row;
}

static void schedule_messages(struct exchange_schedule *schedule, const struct message *messages, size_t count)
{
    for (size_t i = 0; i < count; ++i) {
        if (i + AHEAD < count)
            __builtin_prefetch(&schedule->sent[messages[i + AHEAD].key & (schedule->sent_size - 1)]);
        schedule_message(schedule, &messages[i]);
    }
}

static void schedule_shorts(struct exchange_schedule *schedule)
{
    schedule_messages(schedule, schedule->shorts.data, schedule->shorts.count);
    schedule->shorts.count = 0;
}

static void wait_in_parts(struct exchange_schedule *schedule, uint32_t from, uint32_t to, uint64_t cycles,
                          uint64_t what)
{
    assert(cycles > LONG);
    uint64_t max = cycles / MAX_PARTS > LONG ? cycles / MAX_PARTS : LONG;
    for (uint64_t left = cycles, part; left; left -= part) {
        part = left < max ? left : max;
        uint64_t content = what == EXCHANGE_ONCE ? EXCHANGE_ONCE : what ^ left << 20;
        *vec_push(&schedule->longs) = (struct message){ message_key(from, part, content), part, from, to, 0, true };
    }
}

void exchange_schedule_message(struct exchange_schedule *schedule, uint32_t from, uint32_t to, uint64_t bytes,
                               uint64_t what)
{
    uint64_t cycles = cycles_of(schedule, bytes);
    if (++schedule->messages > EXCHANGE_SCHEDULE_MAX)
        return;
    if (cycles > LONG) {
        wait_in_parts(schedule, from, to, cycles, what);
        return;
    }
    *vec_push(&schedule->shorts) =
        (struct message){ message_key(from, cycles, what), cycles, from, to, 0, schedule->tiles[to].begins };
    schedule->tiles[to].begins = false;
    if (schedule->shorts.count == BATCH)
        schedule_shorts(schedule);
}

void exchange_schedule_piece(struct exchange_schedule *schedule, uint32_t from, uint32_t to, uint64_t bytes,
                             uint64_t what)
{
    if (++schedule->messages > EXCHANGE_SCHEDULE_MAX)
        return;
    uint64_t cycles = cycles_of(schedule, bytes);
    struct message piece = { message_key(from, cycles, what),         cycles, from, to,
                             touch(schedule, from)->pieces++ / ROUND, true };
    *vec_push(&schedule->pieces) = piece;
}

static uint64_t message_sender(const void *message)
{
    return ((const struct message *)message)->from;
}
static uint64_t message_round(const void *message)
{
    return ((const struct message *)message)->round;
}

/* In order of rounds, then senders, then requests. */
static void sort_pieces(struct exchange_schedule *schedule)
{
    sort_by_key(schedule->pieces.data, schedule->pieces.count, sizeof(*schedule->pieces.data), message_sender);
    sort_by_key(schedule->pieces.data, schedule->pieces.count, sizeof(*schedule->pieces.data), message_round);
}

void exchange_schedule_finish(struct exchange_schedule *schedule)
{
    if (schedule->messages <= EXCHANGE_SCHEDULE_MAX) {
        sort_pieces(schedule);
        schedule_shorts(schedule);
        schedule_messages(schedule, schedule->longs.data, schedule->longs.count);
        schedule_messages(schedule, schedule->pieces.data, schedule->pieces.count);
    }
    schedule->shorts.count = schedule->longs.count = schedule->pieces.count = 0;
}

uint64_t exchange_schedule_end(const struct exchange_schedule *schedule, uint32_t tile)
{
    assert(tile < pop_target_num_tiles(schedule->target) && !schedule->shorts.count); /* settled */
    return schedule->messages > EXCHANGE_SCHEDULE_MAX ? 0 : schedule->tiles[tile].end;
}

uint64_t exchange_schedule_pairs(const struct exchange_schedule *schedule, uint32_t tile)
{
    return schedule->tiles[tile].pairs;
}

uint32_t exchange_schedule_follows(const struct exchange_schedule *schedule, uint32_t tile)
{
    return schedule->messages > EXCHANGE_SCHEDULE_MAX ? 0 : schedule->tiles[tile].follows;
}

/* No cycle after the end is busy. */
static void clear_line(struct line *line, uint64_t end)
{
    size_t words = end / 64 + 1 < line->words ? (size_t)(end / 64 + 1) : line->words;
    if (words)
        memset(line->busy, 0, words * sizeof(*line->busy));
    line->full = 0;
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
        schedule->sent = mem_zero(size, sizeof(*schedule->sent));
        schedule->sent_size = size;
    } else {
        memset(schedule->sent, 0, schedule->sent_size * sizeof(*schedule->sent));
    }
    schedule->sent_count = 0;
}

void exchange_schedule_clear(struct exchange_schedule *schedule)
{
    for (size_t i = 0; i < schedule->touched.count; ++i) {
        struct scheduled_tile *tile = &schedule->tiles[schedule->touched.data[i]];
        clear_line(&tile->send, tile->end);
        clear_line(&tile->receive, tile->end);
        tile->row = tile->end = tile->pairs = tile->follows = tile->pieces = 0;
        tile->touched = false;
    }
    schedule->touched.count = schedule->shorts.count = schedule->longs.count = schedule->pieces.count = 0;
    clear_sent(schedule);
    schedule->messages = 0;
}
