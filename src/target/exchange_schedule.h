/* SPDX-License-Identifier: Apache-2.0 */
/* When each message of an exchange goes (docs/decisions/0004-exchange-rule.md).  All is known when a program is
 * compiled, so nothing waits at run time: a message is given the first cycles in which its sender and its receiver are
 * both free.  A tile takes what it reads in the order of its addresses.  What others receive too is sent once: later
 * receivers take it in at the same cycles, or when it was last sent again, if they are free then.  Long messages come
 * last: a tile that sends one to its neighbour does not hold up what many wait for. */
#ifndef TARGET_EXCHANGE_SCHEDULE_H
#define TARGET_EXCHANGE_SCHEDULE_H

#include <poplar/target.h>

/* Exchanges of more messages are not scheduled: every end is 0, so that tiles are as long as their words. */
enum { EXCHANGE_SCHEDULE_MAX = 1 << 20 };

#define EXCHANGE_ONCE UINT64_MAX

struct exchange_schedule;
struct exchange_schedule *exchange_schedule_create(const pop_target *target);
void exchange_schedule_free(struct exchange_schedule *schedule);

/* What the tile receives from now on is another row of its memory: it may come before what it has been given already.
 */
void exchange_schedule_row(struct exchange_schedule *schedule, uint32_t tile);
/* The next message that `to` receives; tiles are numbered through all IPUs.  what: the same for all who receive the
 * same from this sender; nobody else receives what is EXCHANGE_ONCE.  One of more than 250 cycles comes after all
 * shorter ones that are asked for before exchange_schedule_settle, in parts, each a row of its own. */
void exchange_schedule_message(struct exchange_schedule *schedule, uint32_t from, uint32_t to, uint64_t bytes,
                               uint64_t what);
/* A message of a copy, whose parts have no order of their own: scheduled by exchange_schedule_settle, in rounds: first
 * the first few of every sender, then the next few, and so on, in any cycles that are free. */
void exchange_schedule_piece(struct exchange_schedule *schedule, uint32_t from, uint32_t to, uint64_t bytes,
                             uint64_t what);
/* Schedules all requested messages; the queries below are valid afterwards. */
void exchange_schedule_settle(struct exchange_schedule *schedule);
/* The cycle after the last word that a tile sends or receives. */
uint64_t exchange_schedule_end(const struct exchange_schedule *schedule, uint32_t tile);
/* Pairs of words in the messages that a tile receives as the other tile of its bus does, whose number differs in the
 * last bit. */
uint64_t exchange_schedule_pairs(const struct exchange_schedule *schedule, uint32_t tile);
/* Messages that a tile receives right behind the one before, in the same row. */
uint32_t exchange_schedule_follows(const struct exchange_schedule *schedule, uint32_t tile);
/* Empty again. */
void exchange_schedule_clear(struct exchange_schedule *schedule);

#endif
